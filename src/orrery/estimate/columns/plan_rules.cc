// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/plan_rules.h"

#include <string>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::estimate {

namespace {

std::uint64_t word(std::int32_t value) { return static_cast<std::uint32_t>(value); }

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

TableKey PlanRules::cut_key(const PlanColumns& plans, std::size_t place) {
  return {word(plans.tp[place]) << 32 | word(plans.ep[place]),
          word(plans.dp[place]) << 32 | word(plans.cp[place]) << 4 |
              static_cast<std::uint64_t>(plans.sharding[place]) << 1 | plans.sp[place]};
}

TableKey PlanRules::stages_key(const PlanColumns& plans, std::size_t place) {
  return {word(plans.pp[place]) << 32 | word(plans.microbatches[place]),
          word(plans.chunks[place]) << 32 | static_cast<std::uint64_t>(plans.schedule[place])};
}

TableKey PlanRules::size_key(const PlanColumns& plans, std::size_t place) {
  return {word(plans.tp[place]) << 32 | word(plans.micro[place]),
          word(plans.cp[place]) << 1 | plans.sp[place]};
}

void PlanRules::ask(Table& table, TableKey key, const workload::Spec& spec) const {
  table.keys.add(key);
  table.rules.push_back(kNone);
  const auto fine = workload::check_spec(spec);
  if (fine) return;
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (fine.error().hint.starts_with("rule " + std::string(rules_[i].name) + ":"))
      table.rules.back() = static_cast<std::uint16_t>(i);
  ORRERY_CHECK(table.rules.back() != kNone);
}

void PlanRules::learn(const PlanColumns& plans, std::size_t place) {
  if (const TableKey key = cut_key(plans, place); cuts_.keys.find(key) == KeyTable::kNone) {
    workload::Spec spec = on_one_device(base_);
    const workload::Spec plan = plans.plan(place, base_);
    const std::int64_t stages = spec.parallel.pp;
    spec.parallel = plan.parallel;
    spec.parallel.pp = stages;
    spec.batch.global = plan.parallel.dp;
    ask(cuts_, key, spec);
  }
  if (plans.microbatches[place] <= 0) return;
  if (const TableKey key = stages_key(plans, place); stages_.keys.find(key) == KeyTable::kNone) {
    workload::Spec spec = on_one_device(base_);
    spec.parallel.pp = plans.pp[place];
    spec.schedule.kind = plans.schedule[place];
    spec.schedule.chunks = plans.chunks[place];
    spec.batch.global = plans.microbatches[place];
    ask(stages_, key, spec);
  }
  if (const TableKey key = size_key(plans, place); sizes_.keys.find(key) == KeyTable::kNone) {
    workload::Spec spec = on_one_device(base_);
    spec.parallel.tp = plans.tp[place];
    spec.parallel.cp = plans.cp[place];
    spec.parallel.sp = plans.sp[place] != 0;
    spec.batch.global = spec.batch.micro = plans.micro[place];
    ask(sizes_, key, spec);
  }
}

std::uint16_t PlanRules::broken(const PlanColumns& plans, std::size_t place) const {
  const std::uint16_t cut = cuts_.rules[cuts_.keys.find(cut_key(plans, place))];
  if (cut != kNone) return cut;
  if (plans.microbatches[place] <= 0) return global_batch_;
  const std::uint16_t staged = stages_.rules[stages_.keys.find(stages_key(plans, place))];
  if (staged != kNone) return staged;
  return sizes_.rules[sizes_.keys.find(size_key(plans, place))];
}

}  // namespace orrery::estimate
