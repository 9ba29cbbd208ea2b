// SPDX-License-Identifier: Apache-2.0
//
// What the names of events say about communication.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/core/strings.h"
#include "orrery/profile/comm.h"

namespace orrery::intake {

/// What one name says.
struct CommName {
  profile::CommKind kind = profile::CommKind::unknown;
  bool library = false;     ///< a range of a communication library: "nccl:all_reduce"
  bool dispatcher = false;  ///< the framework's operator: "c10d::allreduce_"
  bool record = false;      ///< "record_param_comms": says nothing itself
  bool kernel = false;      ///< a kernel of such a library
  /// The dispatcher's argument that holds what this rank puts in: c10d's operators take the outputs
  /// first where they are other tensors than the inputs.
  std::uint8_t input = 0;

  [[nodiscard]] bool names_communication() const { return library || dispatcher || record; }
};

/// Looks at each distinct name once.
class CommNames {
 public:
  explicit CommNames(const StringPool& strings) : strings_(strings) {}
  [[nodiscard]] const CommName& of(StringId name);

 private:
  const StringPool& strings_;
  std::vector<std::uint32_t> place_;  // by StringId: index + 1 in known_; 0 = not looked at
  std::vector<CommName> known_;
};

[[nodiscard]] CommName comm_name(std::string_view name);
/// True for "nccl:all_reduce", "gloo:barrier" …
[[nodiscard]] bool is_library_range(std::string_view name);
/// What a coalesced operation does: "allreduce_coalesced" is an all_reduce; `coalesced` when the
/// name does not say.
[[nodiscard]] profile::CommKind coalesced_kind(std::string_view name);
/// The other side in "nccl:send 0->1" and "nccl:recv 1<-0" (a number in the group), or -1.
[[nodiscard]] std::int32_t peer_in_name(std::string_view name);

}  // namespace orrery::intake
