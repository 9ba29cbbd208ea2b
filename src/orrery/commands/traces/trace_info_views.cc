// SPDX-License-Identifier: Apache-2.0
//
// orrery trace info --view: tables of recordings.
#include "orrery/commands/traces/recorded_traces.h"
#include "orrery/present/traces/views_answer.h"
#include "orrery/study/recordings/views/view_builder.h"

namespace orrery::commands {

int show_views(const RecordedTraces& options, const std::vector<std::string>& names,
               Context& context) {
  const auto builders = study::view_builders(names);
  Findings findings;
  const auto job = read_ranks(options, context, findings, [&](const intake::RankTrace& rank) {
    for (const auto& builder : builders) builder->add(rank);
  });
  if (!job) return context.fail(job.error(), findings);
  std::vector<study::View> views;
  for (const auto& builder : builders) views.push_back(builder->view(*job, findings));
  return context.deliver(
      [&](report::Answer& answer) { present::state_views(answer, views, *job, findings); });
}

}  // namespace orrery::commands
