// SPDX-License-Identifier: Apache-2.0
//
// Reads communications and process groups from records.
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

  /// Adds a communication from a record with a "Collective name". Returns its index in
  /// Profile::comms.
  std::uint32_t add(const Record& record);
  /// Adds a communication from the name of an annotation ("nccl:all_reduce") and its tensors.
  /// Returns kNone if the name is not that of a communication.
  std::uint32_t add_named(std::string_view name, const Record& record);
  /// Adds a group from the trace's header.
  void add_group(profile::Group group);
  /// Completes the groups that records name with their descriptions in the header.
  void finish();

 private:
  std::uint32_t group_of(const Record& record);
  void complete(profile::Group& group, const Record& record);

  profile::Profile& profile_;
  Interner& interner_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::string last_name_;  // raw
  std::uint32_t last_group_ = profile::kNone;
  std::vector<profile::Group> header_groups_;
  std::int64_t derived_ranks_ = 0;  // number of ranks derived from start, stride and size
};

/// The ranks in "[0, 1, 2]" (a list or a string); empty if it is cut off or not a list of ranks.
[[nodiscard]] std::vector<std::uint32_t> parse_ranks(std::string_view text);

/// Number of elements of all tensors in "Input Dims": [[2, 3], [], [[4], [5]]] has 15; -1 if there
/// are none.
[[nodiscard]] std::int64_t count_elements(std::string_view dims);

}  // namespace orrery::trace::kineto
