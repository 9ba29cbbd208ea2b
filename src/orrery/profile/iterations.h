// SPDX-License-Identifier: Apache-2.0
//
// The iterations of a recorded rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/profile/profile.h"

namespace orrery::profile {

/// One iteration ("ProfilerStep#12"), on the host's clock.
struct Iteration {
  EventId event = kNoEvent;
  std::int64_t number = -1;
  Time start{};
  Time end{};
};

/// The N of "ProfilerStep#N", -1 for every other name.
[[nodiscard]] std::int64_t iteration_number(std::string_view name);

/// The annotations (in old traces: operators) named ProfilerStep#N, by start, each once; without
/// any, the ranges of devices with these names. Empty if there are none.
[[nodiscard]] std::vector<Iteration> iterations(const Profile& profile);

/// Index of the iteration that contains `at`; iterations.size() if none does. O(log iterations).
[[nodiscard]] std::size_t iteration_at(const std::vector<Iteration>& iterations, Time at);

}  // namespace orrery::profile
