// SPDX-License-Identifier: Apache-2.0
//
// A simulated run as if it had been recorded.
#pragma once

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/sim/sim_result.h"

namespace orrery::study {

/// The workload with the durations that its nodes took in a run that was recorded
/// (sim::Options::record): of communication those with the wait for others, as profilers have
/// them.
[[nodiscard]] graph::Workload with_simulated_times(const graph::Workload& workload,
                                                   const sim::SimResult& result);

}  // namespace orrery::study
