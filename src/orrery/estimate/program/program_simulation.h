// SPDX-License-Identifier: Apache-2.0
//
// The simulation of a program: the source of estimated costs, and the reference for tests.
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/sim/sim_result.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/program.h"

namespace orrery::estimate {

enum class SimulationDetail : std::uint8_t { step, path, chunks };  ///< by increasing cost

/// Simulates a program with the cluster's models of kernels and collectives. Simulates equivalent
/// ranks once. Errc: those of simulations; stall.
[[nodiscard]] Result<sim::SimResult> simulate_program(
    const workload::Program& program, const study::Cluster& cluster,
    SimulationDetail keep = SimulationDetail::step);

}  // namespace orrery::estimate
