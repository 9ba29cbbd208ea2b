// SPDX-License-Identifier: Apache-2.0
//
// Counts the work of a simulation before it starts.
#pragma once

#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/simulation_estimate.h"

namespace orrery::sim {

/// The work of `run`, whose ranks are folded. Plans each distinct collective with a planner of its
/// own, so that the numbers of plans in the run do not change. Work that will fail is not counted.
/// O(nodes of distinct graphs + simulated ranks × their distinct collectives × phases).
[[nodiscard]] SimulationWork count_work(const EngineRun& run);

}  // namespace orrery::sim
