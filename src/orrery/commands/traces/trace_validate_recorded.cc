// SPDX-License-Identifier: Apache-2.0
//
// orrery trace validate, for recorded traces: reads and links them, and compares the ranks.
#include "orrery/commands/traces/recorded_traces.h"
#include "orrery/present/simulate/check_answer.h"

namespace orrery::commands {

namespace {

constexpr std::size_t kMismatchesShown = 10;

}  // namespace

int check_recorded(const RecordedTraces& options, Context& context) {
  Findings findings;
  std::uint64_t records = 0;
  const auto job = read_ranks(options, context, findings, [&](const intake::RankTrace& rank) {
    records += rank.profile.account.records;
  });
  if (!job) return context.fail(job.error(), findings);
  const auto mismatches = intake::mismatches(*job, kMismatchesShown);
  return context.deliver(
      [&](report::Answer& answer) {
        present::state_recorded_check(answer, *job, records, mismatches, findings);
      },
      mismatches.empty() ? kOk : kSaysNo);
}

}  // namespace orrery::commands
