// SPDX-License-Identifier: Apache-2.0
//
// Finds the device stream on which each step was recorded.
#pragma once

#include <cstdint>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Fills ReplayStep::stream from the device trace: the stream on which the kernels of its operator
/// run longest in total (without communication kernels). Streams are numbered in order of first
/// use; beyond kMaxStreams, several share a number. Steps without kernels, and steps that
/// communicate or wait, use the stream of the previous step. Without a device trace, all use stream
/// 0. O(events + steps).
void find_step_streams(const profile::Profile& profile, ReplayPlan& plan);

}  // namespace orrery::bench
