// SPDX-License-Identifier: Apache-2.0
//
// orrery trace info, for recorded traces: iterations, kernels, communication.
#include "orrery/commands/traces/recorded_traces.h"
#include "orrery/present/traces/inspect_recorded_answer.h"

namespace orrery::commands {

int inspect_recorded(const RecordedTraces& options, Context& context) {
  std::vector<present::RankInspection> ranks;
  Findings findings;
  const auto job = read_ranks(options, context, findings, [&](const intake::RankTrace& rank) {
    const profile::Profile& p = rank.profile;
    present::RankInspection one{rank.files.rank, p.where, p.format,
                                p.devices.empty() ? "" : p.devices.front().name,
                                profile::inspect(p)};
    one.advice = profile::advice(p, one.inspection);
    ranks.push_back(std::move(one));
  });
  if (!job) return context.fail(job.error(), findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_recorded(answer, ranks, *job, findings); });
}

}  // namespace orrery::commands
