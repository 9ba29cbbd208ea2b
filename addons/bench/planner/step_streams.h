// SPDX-License-Identifier: Apache-2.0
//
// On which stream of its device each step ran when it was recorded.
#pragma once

#include <cstdint>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Fills Step::stream from the device's trace: where the kernels of its operator ran, longest in
/// all (communication's are left out). Streams are numbered in the order in which steps come to
/// them; beyond kMostStreams they share numbers. Steps without kernels, and those that communicate
/// or wait, stay where the step before them was. Without a device's trace all are 0. O(events +
/// steps).
void find_step_streams(const profile::Profile& profile, ReplayPlan& plan);

/// How many there are: one more than the largest number.
[[nodiscard]] std::uint32_t stream_count(const ReplayPlan& plan);

}  // namespace orrery::bench
