// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hints.h"
#include "inputs.h"
#include "orrery/graph/replicate.h"
#include "progress.h"

namespace orrery::app {

Result<graph::Workload> read_recorded_workload(const InputOptions& options, std::uint32_t ranks,
                                               const Session& session) {
  auto job = job_options(options.recorded);
  if (!job) return tl::unexpected(job.error());
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  job->converted = [&](std::uint32_t done, std::uint32_t of) { progress.converting(done, of); };
  Findings findings;
  auto workload = intake::load_job(*job, findings);
  if (!workload) return workload;
  workload->findings.merge(findings);
  const std::uint32_t there = workload->rank_count();
  if (options.replicate && ranks > 0) {
    graph::replicate(*workload, ranks);
    return workload;
  }
  if (ranks == 0 || ranks == there) return workload;
  return fail(Errc::config_conflict, options.recorded.traces.front(),
              fmt::format("traces of {} rank{}, and the cluster has {} devices", there,
                          there == 1 ? "" : "s", ranks),
              there == 1 ? "--replicate runs the one trace on all devices"
                         : "use a cluster of the job's size: " + cluster_of(there));
}

}  // namespace orrery::app
