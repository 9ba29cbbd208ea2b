// SPDX-License-Identifier: Apache-2.0
//
// orrery check, for recorded traces: can they be read, linked, and do the ranks agree?
#include "orrery/present/simulate/check_text.h"
#include "progress.h"
#include "traces/recorded_traces.h"

namespace orrery::app {

namespace {

constexpr std::size_t kMismatchesShown = 10;

}  // namespace

int check_recorded(const RecordedTraces& options, Session& session) {
  auto job = study::job_options(options);
  if (!job) return session.fail(job.error());
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  Findings findings;
  std::uint64_t records = 0;
  const auto done = intake::for_each_rank(
      *job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        findings.merge(rank.findings);
        records += rank.profile.account.records;
        return {};
      });
  progress.clear();
  if (!done) return session.fail(done.error(), findings);
  findings.merge(done->findings);
  const auto found = intake::mismatches(*done, kMismatchesShown);
  return session.deliver(
      present::check_text(*done, records, found, findings, session.out_style()),
      [&] { return present::check_json(*done, found, findings); }, found.empty() ? kOk : kSaysNo);
}

}  // namespace orrery::app
