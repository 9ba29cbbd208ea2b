// SPDX-License-Identifier: Apache-2.0
//
// A replay as a recorded rank, as a profiler would record it.
#pragma once

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// One thread with one operator per recorded operator, within a range "ProfilerStep#N" per
/// iteration. Operators of the first iteration have the record-function ids of the recording, so
/// that the execution trace can be linked to it. Communications are ranges "predicted:all_reduce"
/// or "gloo:all_reduce" on threads of their group. Waits of the host for them are ranges "wait".
[[nodiscard]] profile::Profile timeline_of(const ReplayPlan& plan, const ReplayOutcome& outcome);

}  // namespace orrery::bench
