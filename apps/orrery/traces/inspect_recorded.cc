// SPDX-License-Identifier: Apache-2.0
//
// orrery inspect, for recorded traces: iterations, kernels, communication.
#include "orrery/present/traces/inspect_recorded_text.h"
#include "progress.h"
#include "traces/recorded_traces.h"

namespace orrery::app {

int inspect_recorded(const RecordedTraces& options, Session& session) {
  auto job = study::job_options(options);
  if (!job) return session.fail(job.error());
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  std::vector<present::RankInspection> ranks;
  Findings findings;
  const auto done = intake::for_each_rank(
      *job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        const profile::Profile& p = rank.profile;
        ranks.push_back({rank.files.rank, p.where, p.format,
                         p.devices.empty() ? "" : p.devices.front().name, profile::inspect(p)});
        findings.merge(rank.findings);
        return {};
      });
  progress.clear();
  if (!done) return session.fail(done.error(), findings);
  findings.merge(done->findings);
  return session.deliver(
      present::inspect_recorded_text(ranks, *done, findings, session.out_style()),
      [&] { return present::inspect_recorded_json(ranks, findings); });
}

}  // namespace orrery::app
