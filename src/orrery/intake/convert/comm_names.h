// SPDX-License-Identifier: Apache-2.0
//
// Recognizes communication by the names of events.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/core/strings.h"
#include "orrery/profile/comm.h"

namespace orrery::intake {

/// The meaning of one name.
struct CommName {
  profile::CommKind kind = profile::CommKind::unknown;
  bool is_library_range = false;  ///< a range of a communication library: "nccl:all_reduce"
  bool is_dispatcher = false;     ///< the framework's operator: "c10d::allreduce_"
  bool is_record = false;         ///< "record_param_comms": the name does not give the kind
  bool is_kernel = false;         ///< a kernel of a communication library
  /// Index of the dispatcher's argument with the input tensors. c10d operators take the output
  /// tensors first if these differ from the inputs.
  std::uint8_t input_argument = 0;

  [[nodiscard]] bool names_communication() const {
    return is_library_range || is_dispatcher || is_record;
  }
};

/// Parses each distinct name once.
class CommNames {
 public:
  explicit CommNames(const StringPool& strings) : strings_(strings) {}
  [[nodiscard]] const CommName& of(StringId name);

 private:
  const StringPool& strings_;
  std::vector<std::uint32_t> place_;  // by StringId: index + 1 in known_; 0: not parsed yet
  std::vector<CommName> known_;
};

[[nodiscard]] CommName comm_name(std::string_view name);
/// The peer in "nccl:send 0->1" and "nccl:recv 1<-0" (its number in the group), or -1.
[[nodiscard]] std::int32_t peer_in_name(std::string_view name);

}  // namespace orrery::intake
