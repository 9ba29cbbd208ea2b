// SPDX-License-Identifier: Apache-2.0
//
// What records say about communications and process groups.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/profile/profile.h"
#include "orrery/trace/kineto/interner.h"
#include "orrery/trace/kineto/record.h"

namespace orrery::trace::kineto {

class Comms {
 public:
  Comms(profile::Profile& profile, Interner& interner) : profile_(profile), interner_(interner) {}

  /// From a record with a "Collective name". Index into Profile::comms.
  std::uint32_t add(const Record& record);
  /// From the name of an annotation ("nccl:all_reduce") and the tensors it has; kNone if the name
  /// is not one of a communication.
  std::uint32_t add_named(std::string_view name, const Record& record);
  /// A group that the trace's head describes.
  void describe(profile::Group group);
  /// Completes the groups that records name with what the head says of them.
  void finish();

 private:
  std::uint32_t group_of(const Record& record);
  void complete(profile::Group& group, const Record& record);

  profile::Profile& profile_;
  Interner& interner_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::string last_name_;  // raw
  std::uint32_t last_group_ = profile::kNone;
  std::vector<profile::Group> described_;
  std::int64_t derived_ = 0;  // ranks that no list told
};

/// "[0, 1, 2]" (a list or a string); empty if it is cut short or no list of ranks.
[[nodiscard]] std::vector<std::uint32_t> ranks_in(std::string_view text);

/// Elements of all tensors in "Input Dims": [[2, 3], [], [[4], [5]]] has 15; -1 if there is none.
[[nodiscard]] std::int64_t elements_in(std::string_view dims);

/// "nccl:all_reduce", "hccl:…", "gloo:…": a communication library's range. The part behind.
[[nodiscard]] std::string_view communication_in(std::string_view name);

}  // namespace orrery::trace::kineto
