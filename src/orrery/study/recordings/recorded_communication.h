// SPDX-License-Identifier: Apache-2.0
//
// Device names and communication intervals of recordings.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/profile/profile.h"

namespace orrery::study {

/// Time intervals in which communication kernels ran.
class CommunicationTimes {
 public:
  /// O(events log events).
  explicit CommunicationTimes(const profile::Profile& profile);

  /// Time between `begin` and `end` in which communication ran. O(log intervals + intervals in
  /// between).
  [[nodiscard]] Time within(Time begin, Time end) const;

 private:
  struct Interval {
    Time begin{}, end{};
  };
  std::vector<Interval> intervals_;  // disjoint, ascending
};

/// Driver name of the device of a stream; empty if the file has none.
[[nodiscard]] std::string_view driver_name(const profile::Profile& profile, std::uint32_t lane);

}  // namespace orrery::study
