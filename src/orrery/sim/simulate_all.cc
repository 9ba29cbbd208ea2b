// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/simulate_all.h"

#include <algorithm>

#include "orrery/core/system/thread_pool.h"

namespace orrery::sim {

std::vector<Result<SimResult>> simulate_all(std::span<const SimulationJob> jobs,
                                            std::uint32_t threads) {
  std::vector<Result<SimResult>> results(jobs.size());
  const auto count = static_cast<std::uint32_t>(jobs.size());
  ThreadPool pool(std::clamp(threads, 1u, std::max(count, 1u)));
  pool.share(count, [&](std::uint32_t i) {
    results[i] = simulate(*jobs[i].workload, *jobs[i].platform, jobs[i].options);
  });
  return results;
}

}  // namespace orrery::sim
