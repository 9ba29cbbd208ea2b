// SPDX-License-Identifier: Apache-2.0
//
// Durations of a plan's communications from a simulation of the same job.
#pragma once

#include <cstdint>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::bench {

/// The number of communications that received delays from a run.
struct DelayReport {
  std::uint64_t delays = 0;  ///< exchanges of the plan, all with a delay
  /// Communications of the run at the rank; more than `delays` if the plan covers a part.
  std::uint64_t run = 0;
};

/// Fills Exchange::delay_ns with the time from begin to end at `rank`, including waits for peers.
/// Converted traces renumber their nodes, so exchanges are matched by kind and order: each uses the
/// first unused communication of the run with the same bytes (or any, if the plan does not state
/// bytes). An all-to-all may also use one with more bytes, because ranks with different sizes are
/// simulated with the largest. Coalesced communications, which runs do not contain, get a delay of
/// 0. Errc: input_mismatch (names the first unmatched exchange), usage (the run has no such rank,
/// or no spans). O(exchanges · distinct sizes + spans).
[[nodiscard]] Result<DelayReport> set_delays(ReplayPlan& plan, const result::Run& run,
                                             std::uint32_t rank);

}  // namespace orrery::bench
