// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/plan_columns.h"

#include <utility>

namespace orrery::estimate {

namespace {

/// Calls `visit` with every column of both.
template <class Visit>
void each_column(PlanColumns& a, const PlanColumns& b, Visit visit) {
  visit(a.tp, b.tp), visit(a.pp, b.pp), visit(a.cp, b.cp), visit(a.dp, b.dp), visit(a.ep, b.ep);
  visit(a.micro, b.micro), visit(a.chunks, b.chunks), visit(a.microbatches, b.microbatches);
  visit(a.schedule, b.schedule), visit(a.sharding, b.sharding);
  visit(a.recompute, b.recompute), visit(a.sp, b.sp);
}

std::int32_t number(std::int64_t value) { return static_cast<std::int32_t>(value); }

}  // namespace

void PlanColumns::reserve(std::size_t plans) {
  each_column(*this, *this, [&](auto& column, const auto&) { column.reserve(plans); });
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
  const bool whole = plan.batch.global == 0 || plan.batch.global % each == 0;
  microbatches.push_back(whole ? number(plan.microbatches()) : 0);
  schedule.push_back(plan.schedule.kind);
  sharding.push_back(parallel.sharding);
  recompute.push_back(plan.recompute.kind);
  sp.push_back(parallel.sp ? 1 : 0);
}

workload::Spec PlanColumns::plan(std::size_t place, const workload::Spec& base) const {
  workload::Spec spec = base;
  spec.parallel.tp = tp[place];
  spec.parallel.pp = pp[place];
  spec.parallel.cp = cp[place];
  spec.parallel.dp = dp[place];
  spec.parallel.ep = ep[place];
  spec.parallel.sp = sp[place] != 0;
  spec.parallel.sharding = sharding[place];
  spec.schedule.kind = schedule[place];
  spec.schedule.chunks = chunks[place];
  spec.recompute.kind = recompute[place];
  spec.batch.micro = micro[place];
  if (microbatches[place] > 0)
    spec.batch.global = std::int64_t{micro[place]} * dp[place] * microbatches[place];
  return spec;
}

PlanColumns PlanColumns::part(std::size_t begin, std::size_t end) const {
  PlanColumns out;
  each_column(out, *this, [&](auto& column, const auto& from) {
    column.assign(from.begin() + static_cast<std::ptrdiff_t>(begin),
                  from.begin() + static_cast<std::ptrdiff_t>(end));
  });
  return out;
}

void StepColumns::resize(std::size_t plans) {
  verdict.resize(plans);
  rule.resize(plans);
  memory.resize(plans);
  for (auto* column : {&step, &compute, &tensor, &data, &waiting}) column->resize(plans);
}

}  // namespace orrery::estimate
