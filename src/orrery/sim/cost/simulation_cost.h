// SPDX-License-Identifier: Apache-2.0
//
// The memory and the CPU time that a simulation needs, estimated from its work.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/simulation_estimate.h"

namespace orrery::sim {

/// Memory and time for `work`, from constants that benchmarks/simulation_cost.py measures. O(1).
[[nodiscard]] SimulationEstimate estimate_simulation(const EngineRun& run,
                                                     const SimulationWork& work);

/// Compares the memory of `estimate` with the available memory. Errc: limit_exceeded, with what
/// would need less. Small estimates are not compared, because reading the limits takes longer.
[[nodiscard]] Result<void> check_memory(const EngineRun& run, const SimulationEstimate& estimate);

}  // namespace orrery::sim
