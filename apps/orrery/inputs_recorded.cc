// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "inputs.h"
#include "progress.h"

namespace orrery::app {

Result<graph::Workload> read_recorded_workload(const InputOptions& options, std::uint32_t ranks,
                                               const Session& session) {
  auto job = job_options(options.recorded);
  if (!job) return tl::unexpected(job.error());
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  Findings findings;
  auto workload = intake::load_job(*job, findings);
  if (!workload) return workload;
  workload->findings.merge(findings);
  const std::uint32_t there = workload->rank_count();
  if (options.replicate && ranks > 0) {
    workload->graph_of_rank.assign(ranks, 0);
    workload->files.resize(1);
    workload->files.resize(ranks, workload->files.front());
    // The peers recorded with one rank are not those of its copies: all of them communicate.
    if (there != ranks) {
      for (auto& [name, group] : workload->groups) group.ranks.clear();
    }
    return workload;
  }
  if (ranks == 0 || ranks == there) return workload;
  return fail(Errc::config_conflict, options.recorded.traces.front(),
              fmt::format("traces of {} rank{}, and the cluster has {} devices", there,
                          there == 1 ? "" : "s", ranks),
              there == 1 ? "--replicate runs the one trace on all devices"
                         : "use a cluster of the job's size");
}

}  // namespace orrery::app
