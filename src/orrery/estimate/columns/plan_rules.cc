// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/plan_rules.h"

#include <string>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::estimate {

namespace {

/// The job on one device, with one microbatch of one sample.
workload::Spec on_one_device(workload::Spec spec) {
  spec.parallel.tp = spec.parallel.dp = spec.parallel.pp = spec.parallel.ep = 1;
  spec.parallel.cp = 1;
  spec.parallel.sp = false;
  spec.parallel.sharding = workload::Sharding::none;
  spec.parallel.shard_size = 0;
  spec.schedule.kind = workload::ScheduleKind::one_f_one_b;
  spec.schedule.chunks = 1;
  spec.batch.micro = spec.batch.global = 1;
  return spec;
}

}  // namespace

PlanRules::PlanRules(workload::Spec base) : base_(std::move(base)), rules_(workload::rules()) {
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (rules_[i].name == "global-batch") global_batch_ = static_cast<std::uint16_t>(i);
}

TableKey PlanRules::sharding_key(const PlanColumns& plans, std::size_t row) {
  return {key_bits(plans.tp[row]) << 32 | key_bits(plans.ep[row]),
          key_bits(plans.dp[row]) << 32 | key_bits(plans.cp[row]) << 4 |
              static_cast<std::uint64_t>(plans.sharding[row]) << 1 | plans.sp[row]};
}

TableKey PlanRules::stages_key(const PlanColumns& plans, std::size_t row) {
  return {key_bits(plans.pp[row]) << 32 | key_bits(plans.microbatches[row]),
          key_bits(plans.chunks[row]) << 32 | static_cast<std::uint64_t>(plans.schedule[row])};
}

TableKey PlanRules::size_key(const PlanColumns& plans, std::size_t row) {
  return {key_bits(plans.tp[row]) << 32 | key_bits(plans.micro[row]),
          key_bits(plans.cp[row]) << 1 | plans.sp[row]};
}

std::uint16_t PlanRules::first_violated(const workload::Spec& spec) const {
  const auto fine = workload::check_spec(spec);
  if (fine) return kNone;
  std::uint16_t rule = kNone;
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (fine.error().hint.starts_with("rule " + std::string(rules_[i].name) + ":"))
      rule = static_cast<std::uint16_t>(i);
  ORRERY_CHECK(rule != kNone);
  return rule;
}

void PlanRules::add(const PlanColumns& plans, std::size_t row) {
  if (const TableKey key = sharding_key(plans, row); shardings_.find(key) == nullptr) {
    workload::Spec spec = on_one_device(base_);
    const workload::Spec plan = plans.plan(row, base_);
    const std::int64_t stages = spec.parallel.pp;
    spec.parallel = plan.parallel;
    spec.parallel.pp = stages;
    spec.batch.global = plan.parallel.dp;
    shardings_.add(key, first_violated(spec));
  }
  if (plans.microbatches[row] <= 0) return;
  if (const TableKey key = stages_key(plans, row); stages_.find(key) == nullptr) {
    workload::Spec spec = on_one_device(base_);
    spec.parallel.pp = plans.pp[row];
    spec.schedule.kind = plans.schedule[row];
    spec.schedule.chunks = plans.chunks[row];
    spec.batch.global = plans.microbatches[row];
    stages_.add(key, first_violated(spec));
  }
  if (const TableKey key = size_key(plans, row); sizes_.find(key) == nullptr) {
    workload::Spec spec = on_one_device(base_);
    spec.parallel.tp = plans.tp[row];
    spec.parallel.cp = plans.cp[row];
    spec.parallel.sp = plans.sp[row] != 0;
    spec.batch.global = spec.batch.micro = plans.micro[row];
    sizes_.add(key, first_violated(spec));
  }
}

std::uint16_t PlanRules::violated_rule(const PlanColumns& plans, std::size_t row) const {
  const std::uint16_t sharding = *shardings_.find(sharding_key(plans, row));
  if (sharding != kNone) return sharding;
  if (plans.microbatches[row] <= 0) return global_batch_;
  const std::uint16_t staged = *stages_.find(stages_key(plans, row));
  return staged != kNone ? staged : *sizes_.find(size_key(plans, row));
}

}  // namespace orrery::estimate
