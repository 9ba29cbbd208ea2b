// SPDX-License-Identifier: Apache-2.0
//
// A replay as a recorded rank: what profilers would have seen of it.
#pragma once

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// One thread with an operator for each that was recorded, within a range "ProfilerStep#N" per
/// iteration. Those of the first iteration have the recording's ids of record functions, so that
/// the execution trace can be linked to it. Communications are ranges "predicted:all_reduce" or
/// "gloo:all_reduce" on threads of their group, and what the host waits for them is "wait".
[[nodiscard]] profile::Profile timeline_of(const ReplayPlan& plan, const ReplayOutcome& outcome);

}  // namespace orrery::bench
