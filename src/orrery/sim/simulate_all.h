// SPDX-License-Identifier: Apache-2.0
//
// Many runs at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// One run. What it points to must outlive it; runs may share it.
struct SimulationJob {
  const graph::Workload* workload = nullptr;
  const platform::Platform* platform = nullptr;
  Options options;  ///< `progress` is called on any of the threads
};

/// simulate() of each, on so many threads (at least 1) beside those that a run may use for itself.
/// Results in the order of the jobs, the same as one after another.
[[nodiscard]] std::vector<Result<SimResult>> simulate_all(std::span<const SimulationJob> jobs,
                                                          std::uint32_t threads);

}  // namespace orrery::sim
