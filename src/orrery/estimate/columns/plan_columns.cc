// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/plan_columns.h"

namespace orrery::estimate {

namespace {

std::int32_t number(std::int64_t value) { return static_cast<std::int32_t>(value); }

}  // namespace

void PlanColumns::reserve(std::size_t plans) {
  const auto reserve_each = [&](auto&... columns) { (columns.reserve(plans), ...); };
  reserve_each(tp, pp, cp, dp, ep, micro, chunks, microbatches, schedule, sharding, recompute, sp);
}

void PlanColumns::add(const workload::Spec& plan) {
  const workload::Parallel& parallel = plan.parallel;
  tp.push_back(number(parallel.tp));
  pp.push_back(number(parallel.pp));
  cp.push_back(number(parallel.cp));
  dp.push_back(number(parallel.dp));
  ep.push_back(number(parallel.ep));
  micro.push_back(number(plan.batch.micro));
  chunks.push_back(number(plan.schedule.chunks));
  const std::int64_t each = plan.batch.micro * parallel.dp;
  const bool divisible = plan.batch.global == 0 || plan.batch.global % each == 0;
  microbatches.push_back(divisible ? number(plan.microbatches()) : 0);
  schedule.push_back(plan.schedule.kind);
  sharding.push_back(parallel.sharding);
  recompute.push_back(plan.recompute.kind);
  sp.push_back(parallel.sp ? 1 : 0);
}

workload::Spec PlanColumns::plan(std::size_t row, const workload::Spec& base) const {
  workload::Spec spec = base;
  spec.parallel.tp = tp[row];
  spec.parallel.pp = pp[row];
  spec.parallel.cp = cp[row];
  spec.parallel.dp = dp[row];
  spec.parallel.ep = ep[row];
  spec.parallel.sp = sp[row] != 0;
  spec.parallel.sharding = sharding[row];
  spec.schedule.kind = schedule[row];
  spec.schedule.chunks = chunks[row];
  spec.recompute.kind = recompute[row];
  spec.batch.micro = micro[row];
  if (microbatches[row] > 0)
    spec.batch.global = std::int64_t{micro[row]} * dp[row] * microbatches[row];
  return spec;
}

void StepColumns::resize(std::size_t plans) {
  verdict.resize(plans);
  rule.resize(plans);
  memory.resize(plans);
  for (auto* column : {&step, &compute, &tensor, &data, &waiting}) column->resize(plans);
}

}  // namespace orrery::estimate
