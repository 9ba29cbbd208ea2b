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
                                         estimate::Columns& columns) {
  estimate::PlanColumns all;
  all.reserve(plans.size() * recompute.size());
  for (const workload::Spec& plan : plans) {
    for (const workload::RecomputeKind kind : recompute) {
      all.add(plan);
      all.recompute.back() = kind;
    }
  }
  if (auto done = columns.prepare(all); !done) return tl::unexpected(done.error());
  StepColumns steps;
  steps.resize(all.size());
  columns.tell(all, steps);
  static const auto rules = workload::rules();
  std::vector<SeenPlan> seen;
  for (std::size_t i = 0; i < plans.size(); ++i)
    seen.push_back(seen_in(steps, i * recompute.size(), recompute, rules));
  return seen;
}

Result<std::vector<SeenPlan>> first_look(const std::vector<workload::Spec>& plans,
                                         const std::vector<workload::RecomputeKind>& recompute,
                                         const std::shared_ptr<const study::Cluster>& cluster,
                                         estimate::OpCosts& costs) {
  if (plans.empty() || !estimate::Columns::refusal(*cluster, plans.front()).empty())
    return std::vector<SeenPlan>{};
  estimate::Columns columns(cluster, plans.front(), costs);
  return first_look(plans, recompute, columns);
}

}  // namespace orrery::search
