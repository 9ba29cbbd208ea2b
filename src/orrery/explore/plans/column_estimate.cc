// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/column_estimate.h"

namespace orrery::explore {

namespace {

using estimate::PlanVerdict;
using estimate::StepColumns;

/// Combines the rows of a plan, one for each kind of recomputation.
ColumnEstimate estimate_in(const StepColumns& steps, std::size_t row,
                           const std::vector<workload::RecomputeKind>& kinds,
                           const std::vector<workload::Rule>& rules) {
  ColumnEstimate plan;
  for (std::size_t i = 0; i < kinds.size(); ++i, ++row) {
    const PlanVerdict verdict = steps.verdict[row];
    if (verdict == PlanVerdict::illegal) {
      plan.rule = rules[steps.rule[row]].name;
      continue;
    }
    if (steps.memory[row] == 0) return {};
    plan.memory = steps.memory[row];
    plan.recompute = kinds[i];
    if (verdict == PlanVerdict::too_large) continue;
    plan.fits = true;
    if (verdict == PlanVerdict::estimated) plan.step = steps.step[row];
    break;
  }
  plan.supported = true;
  return plan;
}

}  // namespace

Result<std::vector<ColumnEstimate>> estimate_in_columns(
    const std::vector<workload::Spec>& plans, const std::vector<workload::RecomputeKind>& recompute,
    estimate::ColumnEstimator& columns) {
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
  columns.estimate_steps(all, steps);
  static const auto rules = workload::rules();
  std::vector<ColumnEstimate> estimates;
  for (std::size_t i = 0; i < plans.size(); ++i)
    estimates.push_back(estimate_in(steps, i * recompute.size(), recompute, rules));
  return estimates;
}

Result<std::vector<ColumnEstimate>> estimate_in_columns(
    const std::vector<workload::Spec>& plans, const std::vector<workload::RecomputeKind>& recompute,
    const std::shared_ptr<const study::Cluster>& cluster, estimate::OpCosts& costs) {
  if (plans.empty() || !estimate::ColumnEstimator::refusal(*cluster, plans.front()).empty())
    return std::vector<ColumnEstimate>{};
  estimate::ColumnEstimator columns(cluster, plans.front(), costs);
  return estimate_in_columns(plans, recompute, columns);
}

}  // namespace orrery::explore
