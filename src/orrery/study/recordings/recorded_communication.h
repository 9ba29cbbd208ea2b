// SPDX-License-Identifier: Apache-2.0
//
// What recordings say of the device that kernels ran on, and what else ran there.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/profile/profile.h"

namespace orrery::study {

/// When communication ran.
class CommunicationTimes {
 public:
  /// O(events log events).
  explicit CommunicationTimes(const profile::Profile& profile);

  /// How much of the time between both it ran. O(log stretches + those between).
  [[nodiscard]] Time within(Time begin, Time end) const;

 private:
  struct Interval {
    Time begin{}, end{};
  };
  std::vector<Interval> intervals_;  // without overlap, ascending
};

/// What the driver calls the device of a stream; empty where the file has no name.
[[nodiscard]] std::string_view driver_name(const profile::Profile& profile, std::uint32_t lane);

}  // namespace orrery::study
