// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/program_simulation.h"

#include "orrery/study/collectives/algorithms/group_rings.h"

namespace orrery::estimate {

Result<sim::SimResult> simulate_program(const workload::Program& program,
                                        const study::Cluster& cluster, SimulationDetail keep) {
  const auto work = workload::to_workload(program, workload::NodeNames::shared);
  if (!work) return tl::unexpected(work.error());
  sim::Options options;
  options.fold = true;
  options.keep_times = keep != SimulationDetail::step;
  options.record = options.record_chunks = keep == SimulationDetail::chunks;
  options.kernel_models = cluster.kernel_models();
  options.library = cluster.library;
  auto result = study::simulate_with_rings(*work, cluster.platform, options);
  if (result && result->stall)
    return fail(Errc::stall, program.spec.name, "the simulation cannot finish",
                "please report this as a bug");
  return result;
}

}  // namespace orrery::estimate
