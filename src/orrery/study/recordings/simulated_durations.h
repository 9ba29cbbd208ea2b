// SPDX-License-Identifier: Apache-2.0
//
// A workload with the durations of a simulated run.
#pragma once

#include "orrery/graph/workload.h"
#include "orrery/sim/sim_result.h"

namespace orrery::study {

/// Replaces the durations of nodes with those of a recorded simulation (sim::Options::record).
/// Communication includes the wait for other ranks, as in profiles.
[[nodiscard]] graph::Workload with_simulated_times(const graph::Workload& workload,
                                                   const sim::SimResult& result);

}  // namespace orrery::study
