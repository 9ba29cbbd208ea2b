// SPDX-License-Identifier: Apache-2.0
//
// What estimates are made of and held against: a simulation of a program.
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/sim/sim_result.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/program.h"

namespace orrery::estimate {

enum class SimulationDetail : std::uint8_t {
  step,
  path,
  chunks
};  ///< each costs more than the one before

/// By whatever the cluster says of its kernels and collectives; ranks that are alike once. Errc:
/// those of simulations; stall.
[[nodiscard]] Result<sim::SimResult> simulate_program(
    const workload::Program& program, const study::Cluster& cluster,
    SimulationDetail keep = SimulationDetail::step);

}  // namespace orrery::estimate
