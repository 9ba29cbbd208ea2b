// SPDX-License-Identifier: Apache-2.0
#include "orrery/search/plans/first_look.h"

#include <utility>

namespace orrery::search {

namespace {

using estimate::StepColumns;
using estimate::Verdict;

/// Of a plan's rows, one for each kind of recomputation.
SeenPlan seen_in(const StepColumns& steps, std::size_t row,
                 const std::vector<workload::RecomputeKind>& kinds,
                 const std::vector<workload::Rule>& rules) {
  SeenPlan plan;
  for (std::size_t i = 0; i < kinds.size(); ++i, ++row) {
    const Verdict verdict = steps.verdict[row];
    if (verdict == Verdict::illegal) {
      plan.rule = rules[steps.rule[row]].name;
      continue;
    }
    if (steps.memory[row] == 0) return {};
    plan.memory = steps.memory[row];
    plan.recompute = kinds[i];
    if (verdict == Verdict::too_large) continue;
    plan.fits = true;
    if (verdict == Verdict::told) plan.step = steps.step[row];
    break;
  }
  plan.seen = true;
  return plan;
}

}  // namespace

Result<std::vector<SeenPlan>> first_look(const std::vector<workload::Spec>& plans,
                                         const std::vector<workload::RecomputeKind>& recompute,
                                         const std::shared_ptr<const study::Cluster>& cluster,
                                         estimate::OpCosts& costs) {
  std::vector<SeenPlan> seen;
  if (plans.empty() || !estimate::Columns::refusal(*cluster, plans.front()).empty()) return seen;
  estimate::PlanColumns columns;
  columns.reserve(plans.size() * recompute.size());
  for (workload::Spec plan : plans) {
    for (const workload::RecomputeKind kind : recompute) {
      plan.recompute.kind = kind;
      columns.add(plan);
    }
  }
  estimate::Columns told(cluster, plans.front(), costs);
  if (auto done = told.prepare(columns); !done) return tl::unexpected(done.error());
  StepColumns steps;
  steps.resize(columns.size());
  told.tell(columns, steps);
  const auto rules = workload::rules();
  for (std::size_t i = 0; i < plans.size(); ++i)
    seen.push_back(seen_in(steps, i * recompute.size(), recompute, rules));
  return seen;
}

}  // namespace orrery::search
