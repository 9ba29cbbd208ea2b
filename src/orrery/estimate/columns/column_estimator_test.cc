// SPDX-License-Identifier: Apache-2.0
//
// Plans in columns against plans that are laid out: times, memory, rules.
#include "orrery/estimate/columns/column_estimator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "orrery/core/sanitized_testing.h"
#include "orrery/estimate/program/op_schedule.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/workload/memory/memory_report.h"

namespace orrery::estimate {
namespace {

using workload::RecomputeKind;
using workload::ScheduleKind;
using workload::Sharding;
using workload::Spec;

constexpr std::int64_t kDevices = 32;

std::shared_ptr<const study::Cluster> read(const std::string& text) {
  study::Question question;
  question.cluster = "drawn";
  question.cluster_text = text;
  Findings findings;
  auto cluster = study::read_cluster(question, findings);
  EXPECT_TRUE(cluster) << to_string(cluster.error());
  return std::make_shared<const study::Cluster>(*std::move(cluster));
}

std::shared_ptr<const study::Cluster> machine() {
  return read(
      "device: a100-80gb\nnetwork:\n  - {block: switch, size: 8, link: nvlink3}\n"
      "  - {block: switch, size: 4, link: ib-hdr}\n");
}

Spec job(const std::string& model, const std::string& rest = "") {
  const auto spec = workload::parse_spec(
      "{version: 1, model: " + model + ", batch: {seq: 1024}" + rest + "}", "job");
  EXPECT_TRUE(spec) << to_string(spec.error());
  return *spec;
}

const std::string kDense = "{layers: 16, hidden: 1024, heads: 16, vocab: 32000}";
const std::string kTied =
    "{layers: 16, hidden: 2048, heads: 16, vocab: 50257, tied_embeddings: true}";
const std::string kExperts =
    "{layers: 16, hidden: 1024, heads: 16, vocab: 32000, moe: {experts: 8, top_k: 2}}";

/// A plan of 32 devices, legal or not.
Spec drawn(const Spec& base, std::mt19937_64& random) {
  const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
  Spec plan = base;
  plan.parallel.tp = one_of(std::vector{1, 2, 3, 4, 8});
  plan.parallel.pp = one_of(std::vector{1, 2, 4, 8});
  const std::int64_t others = plan.parallel.tp * plan.parallel.pp * plan.parallel.cp;
  plan.parallel.dp = std::max<std::int64_t>(kDevices / others, 1);
  plan.parallel.ep = base.model.moe ? one_of(std::vector{1, 2, 4, 16}) : 1;
  plan.parallel.sp = random() % 2 == 0;
  plan.parallel.sharding =
      one_of(std::vector{Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3});
  plan.schedule.kind =
      one_of(std::vector{ScheduleKind::one_f_one_b, ScheduleKind::gpipe, ScheduleKind::zb_h1,
                         ScheduleKind::interleaved, ScheduleKind::zb_v});
  const bool chunked = plan.schedule.kind == ScheduleKind::interleaved;
  plan.schedule.chunks = chunked ? one_of(std::vector{2, 4}) : random() % 16 == 0 ? 2 : 1;
  plan.recompute.kind =
      one_of(std::vector{RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full});
  plan.batch.micro = one_of(std::vector{1, 2, 4});
  const int microbatches = one_of(std::vector{1, 3, 4, 8, 16, 32, 40});
  plan.batch.global = plan.batch.micro * plan.parallel.dp * microbatches;
  if (random() % 32 == 0) plan.batch.global += 1;
  return plan;
}

struct EstimatedPlan {
  PlanVerdict verdict;
  std::uint16_t rule;
  std::int64_t memory;
  double step;

  friend bool operator==(const EstimatedPlan&, const EstimatedPlan&) = default;
};

std::vector<EstimatedPlan> estimates_of(const std::shared_ptr<const study::Cluster>& cluster,
                                        const Spec& base, const std::vector<Spec>& plans,
                                        OpCosts& costs) {
  PlanColumns columns;
  for (const Spec& plan : plans) columns.add(plan);
  ColumnEstimator all(cluster, base, costs);
  EXPECT_EQ(ColumnEstimator::refusal(*cluster, base), "");
  const auto done = all.prepare(columns);
  EXPECT_TRUE(done) << to_string(done.error());
  StepColumns steps;
  steps.resize(plans.size());
  all.estimate_steps(columns, steps);
  std::vector<EstimatedPlan> estimated;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    estimated.push_back({steps.verdict[i], steps.rule[i], steps.memory[i], steps.step[i]});
    if (steps.verdict[i] != PlanVerdict::estimated) continue;
    const double sum = steps.compute[i] + steps.tensor[i] + steps.data[i] + steps.waiting[i];
    EXPECT_NEAR(sum / steps.step[i], 1, 1e-9);
    EXPECT_GT(steps.compute[i], 0);
    EXPECT_GE(steps.tensor[i], -1e-6 * steps.step[i]);
    EXPECT_GE(steps.data[i], -1e-6 * steps.step[i]);
    if (plans[i].parallel.pp == 1) {
      EXPECT_GE(steps.waiting[i], -1e-6 * steps.step[i]);
    }
  }
  return estimated;
}

/// What a plan that is laid out takes, and its memory.
struct Laid {
  double step = 0;
  std::int64_t memory = 0;
};
Laid laid_out(const Spec& plan, const study::Cluster& cluster, OpCosts& costs, bool times) {
  Findings findings;
  const auto program = workload::assemble(plan, findings);
  EXPECT_TRUE(program) << to_string(program.error());
  workload::MemoryOptions how;
  how.details = false;
  how.device = study::reserved_memory(cluster.platform.device.entry);
  const auto memory = workload::account_memory(*program, how);
  Laid out;
  out.memory = memory->roles[memory->worst].total();
  if (!times) return out;
  const auto asked = costs.costs_of(*program);
  EXPECT_TRUE(asked) << to_string(asked.error());
  out.step = static_cast<double>(schedule_ops(*program, *asked)->count());
  return out;
}

std::string words(const Spec& plan) {
  return fmt::format(
      "tp {} cp {} pp {} dp {} ep {} sp {} micro {} global {} schedule {} x {} sharding {} "
      "recompute {}",
      plan.parallel.tp, plan.parallel.cp, plan.parallel.pp, plan.parallel.dp, plan.parallel.ep,
      plan.parallel.sp, plan.batch.micro, plan.batch.global, static_cast<int>(plan.schedule.kind),
      plan.schedule.chunks, static_cast<int>(plan.parallel.sharding),
      static_cast<int>(plan.recompute.kind));
}

// Of random plans, legal or not: rules and memory are the same, and times near what playing says.
TEST(ColumnEstimator, SayWhatPlansThatAreLaidOutSay) {
  const auto cluster = machine();
  const auto rules = workload::rules();
  const std::vector<std::pair<std::string, std::string>> jobs{
      {kDense, ""},
      {kTied, ""},
      {kExperts, ""},
      {kDense, ", lora: {rank: 8}"},
      {kDense, ", parallel: {cp: 4}"},
      {kDense, ", parallel: {cp: 2, cp_method: ulysses}"},
      {kExperts, ", parallel: {cp: 2, cp_method: all_gather}"},
      {kDense, ", precision: {gradients: bf16}, parallel: {prefetch: 2}, optimizer: {kind: muon}"}};
  for (const auto& [model, rest] : jobs) {
    const Spec base = job(model, rest);
    std::mt19937_64 random(11);
    std::vector<Spec> plans;
    while (plans.size() < static_cast<std::size_t>(rounds(300, 60))) {
      plans.push_back(drawn(base, random));
      if (plans.back().parallel.world() != kDevices) plans.pop_back();
    }
    OpCosts costs(cluster);
    const auto estimated = estimates_of(cluster, base, plans, costs);
    double sum = 0;
    int timed = 0, not_estimable = 0, broken = 0, one_of_three = 0;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const auto fine = workload::check_spec(plans[i]);
      EXPECT_EQ(estimated[i].verdict == PlanVerdict::illegal, !fine) << words(plans[i]);
      if (!fine) {
        ++broken;
        const std::string rule(rules[estimated[i].rule].name);
        EXPECT_TRUE(fine.error().hint.starts_with("rule " + rule + ":"))
            << rule << ", but " << fine.error().hint << "\n"
            << words(plans[i]);
        continue;
      }
      const bool timing = estimated[i].verdict == PlanVerdict::estimated && one_of_three++ % 3 == 0;
      const Laid laid = laid_out(plans[i], *cluster, costs, timing);
      if (estimated[i].memory != 0) {
        EXPECT_EQ(estimated[i].memory, laid.memory) << words(plans[i]);
      }
      not_estimable += estimated[i].verdict == PlanVerdict::not_estimable;
      if (!timing) continue;
      ++timed;
      const double off = estimated[i].step / laid.step - 1;
      EXPECT_LT(std::abs(off), 0.12) << words(plans[i]);
      sum += std::abs(off);
    }
    EXPECT_LT(sum / timed, 0.012) << model << rest;
    EXPECT_GT(timed, rounds(5, 0));
    EXPECT_GT(broken, 0);
    EXPECT_GT(not_estimable, 0);
  }
}

// With one stage, whatever gradients and gathered weights do in the first pass and in others.
TEST(ColumnEstimator, AreNearOnOneStage) {
  const auto cluster = machine();
  OpCosts costs(cluster);
  for (const std::string& model : {kTied, kDense})
    for (const int tp : {2, 8})
      for (const Sharding sharding :
           {Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3})
        for (const int microbatches : {1, 2, 3}) {
          Spec plan = job(model);
          plan.parallel.tp = tp;
          plan.parallel.dp = kDevices / tp;
          plan.parallel.sharding = sharding;
          plan.batch.micro = 1;
          plan.batch.global = plan.parallel.dp * microbatches;
          const EstimatedPlan estimated = estimates_of(cluster, job(model), {plan}, costs).front();
          if (estimated.verdict != PlanVerdict::estimated) continue;
          const double off = estimated.step / laid_out(plan, *cluster, costs, true).step - 1;
          // Sums that go on for longer than passes do are in the way of later passes, too.
          EXPECT_LT(std::abs(off), sharding == Sharding::zero2 && microbatches > 2 ? 0.02 : 0.002)
              << words(plan);
        }
}

// Plans that differ in that, too.
TEST(ColumnEstimator, TellContextParallelismAmongOthers) {
  const auto cluster = machine();
  const Spec base = job(kDense);
  std::mt19937_64 random(3);
  std::vector<Spec> plans;
  while (plans.size() < 60) {
    Spec cut = base;
    cut.parallel.cp = std::int64_t{1} << random() % 4;
    plans.push_back(drawn(cut, random));
    if (plans.back().parallel.world() != kDevices) plans.pop_back();
  }
  OpCosts costs(cluster);
  const auto many = estimates_of(cluster, base, plans, costs);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    OpCosts own(cluster);
    EXPECT_EQ(estimates_of(cluster, plans[i], {plans[i]}, own).front(), many[i]) << words(plans[i]);
    EXPECT_EQ(many[i].verdict == PlanVerdict::illegal, !workload::check_spec(plans[i]))
        << words(plans[i]);
  }
}

// Earlier and concurrent queries do not change the result.
TEST(ColumnEstimator, OneIsToldAsAmongMany) {
  const auto cluster = machine();
  const Spec base = job(kDense);
  std::mt19937_64 random(5);
  std::vector<Spec> plans;
  while (plans.size() < 24) {
    plans.push_back(drawn(base, random));
    if (plans.back().parallel.world() != kDevices) plans.pop_back();
  }
  OpCosts costs(cluster);
  const auto many = estimates_of(cluster, base, plans, costs);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    OpCosts own(cluster);
    EXPECT_EQ(estimates_of(cluster, base, {plans[i]}, own).front(), many[i]) << words(plans[i]);
  }
  std::reverse(plans.begin(), plans.end());
  OpCosts again(cluster);
  auto backwards = estimates_of(cluster, base, plans, again);
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(backwards, many);
}

// Small models on quick devices wait for hosts; longer kernels do not.
TEST(ColumnEstimator, DoNotTellWhereHostsAreInTheWay) {
  const auto cluster = machine();
  OpCosts costs(cluster);
  for (const auto& [launch, verdict] :
       {std::pair{"1 ms", PlanVerdict::not_estimable}, {"10 ns", PlanVerdict::estimated}}) {
    Spec base = job(kDense, fmt::format(", kernels: {{launch: {}}}", launch));
    base.parallel.dp = kDevices;
    base.batch.global = kDevices;
    EXPECT_EQ(estimates_of(cluster, base, {base}, costs).front().verdict, verdict) << launch;
  }
}

TEST(ColumnEstimator, RefuseWhatTheyDoNotKnow) {
  const auto cluster = machine();
  for (const char* rest :
       {", schedule: {overlap: false}", ", kernels: {framework: megatron}",
        ", parallel: {overlap_gradients: false}", ", parallel: {order: tp-cp-ep-pp-dp}",
        ", offload: {optimizer: true}", ", schedule: {blocking_sends: true}"})
    EXPECT_NE(ColumnEstimator::refusal(*cluster, job(kDense, rest)), "") << rest;
  EXPECT_NE(ColumnEstimator::refusal(*cluster, job("dlrm-kaggle")), "");
  const auto expanded = read(
      "device: {is: a100-80gb, memory_expansion: {bandwidth: 50 GB/s}}\n"
      "network: [{block: switch, size: 8, link: nvlink3}]\n");
  EXPECT_NE(ColumnEstimator::refusal(*expanded, job(kDense)), "");
}

}  // namespace
}  // namespace orrery::estimate
