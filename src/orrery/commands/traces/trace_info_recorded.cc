// SPDX-License-Identifier: Apache-2.0
//
// orrery trace info, for recorded traces: iterations, kernels, communication.
#include <fmt/format.h>

#include "orrery/commands/traces/recorded_traces.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/present/traces/inspect_recorded_answer.h"

namespace orrery::commands {

namespace {

/// A device that the catalog does not have by the name of its driver.
void report_unknown_device(const profile::Profile& profile, Findings& findings) {
  if (profile.devices.empty()) return;
  const std::string& name = profile.devices.front().name;
  if (name.empty() || platform::find_device_by_driver(name) != nullptr) return;
  findings.add(FindingCode::recorded_device_unknown,
               fmt::format("{}: {}", profile.where, in_quotes(name)));
}

}  // namespace

int inspect_recorded(const RecordedTraces& options, Context& context) {
  std::vector<present::RankInspection> ranks;
  Findings findings;
  const auto job = read_ranks(options, context, findings, [&](const intake::RankTrace& rank) {
    const profile::Profile& p = rank.profile;
    present::RankInspection one{rank.files.rank, p.where, p.format,
                                p.devices.empty() ? "" : p.devices.front().name,
                                profile::inspect(p)};
    report_unknown_device(p, findings);
    one.advice = profile::advice(p, one.inspection);
    ranks.push_back(std::move(one));
  });
  if (!job) return context.fail(job.error(), findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_recorded(answer, ranks, *job, findings); });
}

}  // namespace orrery::commands
