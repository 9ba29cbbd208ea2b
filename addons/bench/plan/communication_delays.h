// SPDX-License-Identifier: Apache-2.0
//
// How long a plan's communications take by a simulation of the same job.
#pragma once

#include <cstdint>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::bench {

/// What of a run's communications at one rank became delays.
struct DelayReport {
  std::uint64_t delays = 0;  ///< exchanges of the plan; all have one
  std::uint64_t run = 0;  ///< communications of the run at that rank; more where the plan is a part
};

/// Fills Exchange::delay: from begin to end at `rank`, waiting for others included. Converted
/// traces number their nodes anew, so exchanges find theirs by kind and order: each takes the first
/// of the run's that is left and moves as many bytes (or, where the plan does not say how many,
/// any); an all-to-all also one that moves more, as ranks that differ are simulated with the most.
/// Coalesced ones, which no run has, take no time. Errc: input_mismatch (names the first exchange
/// that finds none), usage (the run has no such rank, or kept no spans). O(exchanges · distinct
/// sizes + spans).
[[nodiscard]] Result<DelayReport> set_delays(ReplayPlan& plan, const result::Run& run,
                                             std::uint32_t rank);

}  // namespace orrery::bench
