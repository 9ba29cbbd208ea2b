// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/whatif_consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "orrery/graph/structure/late_start.h"

namespace orrery::study {
namespace {

constexpr double kBusy = 0.9;             // share of the step from which the device determines it
constexpr double kMinDeviceSaving = 0.3;  // of 0.5 if only the device mattered
constexpr double kMinSaving = 0.25;       // of 0.5 if nothing else mattered

double ratio(Time part, Time whole) {
  return whole <= Time{} ? 0
                         : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

/// Share of the step, without the latest start of a rank, that `texts` save together.
Result<double> saving(const WhatIfCase& read, Time base, Time latest,
                      const std::vector<std::string>& texts) {
  const auto changes = parse_changes(texts);
  if (!changes) return tl::unexpected(changes.error());
  const auto changed = read.estimate_step(*changes);
  if (!changed) return tl::unexpected(changed.error());
  return ratio(base - changed->whole, base - latest);
}

}  // namespace

double busy_share(const Outcome& outcome) {
  const std::vector<Time> late = graph::late_starts(outcome.workload());
  double sum = 0;
  std::size_t ranks = 0;
  for (std::uint32_t rank = 0; rank < outcome.result.ranks.size(); ++rank) {
    const sim::RankResult& result = outcome.result.ranks[rank];
    if (!result.finish) continue;
    sum += ratio(*result.finish - result.idle, *result.finish - late[rank]);
    ++ranks;
  }
  return ranks == 0 ? 0 : sum / static_cast<double>(ranks);
}

Result<void> check_consistency(const WhatIfCase& read, const Outcome& base, Findings& findings) {
  const Time step = base.result.end;
  const std::vector<Time> late = graph::late_starts(base.workload());
  const Time latest = late.empty() ? Time{} : *std::max_element(late.begin(), late.end());
  std::vector<std::string> halved = {"kernels=0.5", "communication=0.5", "copies=0.5"};
  if (const double busy = busy_share(base); busy >= kBusy) {
    const auto saved = saving(read, step, latest, halved);
    if (!saved) return tl::unexpected(saved.error());
    if (*saved < kMinDeviceSaving)
      findings.add(FindingCode::step_ignores_device,
                   fmt::format("{}: the device is busy for {:.1f} % of the step, and halved device "
                               "times save {:.1f} %",
                               read.question().workload_name(), 100 * busy, 100 * *saved));
  }
  halved.emplace_back("host=0.5");
  const auto saved = saving(read, step, latest, halved);
  if (!saved) return tl::unexpected(saved.error());
  if (*saved < kMinSaving)
    findings.add(FindingCode::step_ignores_changes,
                 fmt::format("{}: {:.1f} %", read.question().workload_name(), 100 * *saved));
  return {};
}

}  // namespace orrery::study
