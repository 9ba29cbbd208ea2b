// SPDX-License-Identifier: Apache-2.0
//
// The memory and the CPU time that a simulation needs, estimated from its work.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/system/memory_reservation.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/simulation_estimate.h"

namespace orrery::sim {

/// Memory and time for `work`, from constants that benchmarks/simulation_cost.py measures. O(1).
[[nodiscard]] SimulationEstimate estimate_simulation(const EngineRun& run,
                                                     const SimulationWork& work);

/// Errc: limit_exceeded if the estimate is above Options::max_cpu_seconds.
[[nodiscard]] Result<void> check_cpu_time(const EngineRun& run, const SimulationEstimate& estimate);

/// Reserves the memory of `estimate`; waits for simulations on other threads if they leave too
/// little. Errc: limit_exceeded, with what would need less. Small estimates are not reserved,
/// because reading the limits takes longer.
[[nodiscard]] Result<MemoryReservation> reserve_memory(const EngineRun& run,
                                                       const SimulationEstimate& estimate);

}  // namespace orrery::sim
