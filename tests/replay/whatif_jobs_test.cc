// SPDX-License-Identifier: Apache-2.0
//
// A job that is changed into another is that other job.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "handmade_traces_testing.h"
#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

/// Words of changes, or keys, and their values; what --model leaves open is not among them.
using Plan = std::map<std::string, std::string>;

const std::map<std::string, std::string>& paths() {
  static const std::map<std::string, std::string> known = [] {
    std::map<std::string, std::string> made;
    for (const ChangeKind& word : change_kinds())
      if (word.level == ChangeScope::job) made.emplace(word.name, word.path);
    return made;
  }();
  return known;
}

Question question_of(const Plan& plan, const std::string& cluster) {
  Question question;
  question.job.model = "llama-3.1-8b";
  question.cluster = cluster;
  for (const auto& [word, value] : plan) {
    const auto path = paths().find(word);
    question.job.set.push_back((path == paths().end() ? word : path->second) + "=" + value);
  }
  return question;
}

const Plan kPlan = {{"tp", "2"},          {"pp", "2"},     {"cp", "1"},
                    {"layers", "8"},      {"seq", "2048"}, {"global_batch", "32"},
                    {"micro_batch", "1"}, {"dp", "4"},     {"recompute", "none"},
                    {"sharding", "none"}};

Result<WhatIf> changed(const Plan& from, const std::vector<std::string>& changes,
                       const std::string& cluster = "h100-sxm:16") {
  WhatIfQuestion question;
  question.base = question_of(from, cluster);
  question.changes = changes;
  Watch watch;
  return what_if(question, watch);
}

/// False where both are refused.
bool expect_same(const Plan& from, const std::vector<std::string>& changes, const Plan& to,
                 const std::string& cluster = "h100-sxm:16") {
  const auto predicted = changed(from, changes);
  const auto other = simulate(question_of(to, cluster));
  const std::string what = fmt::format("{}", fmt::join(changes, " "));
  EXPECT_EQ(predicted.has_value(), other.has_value())
      << what << (predicted ? "" : to_string(predicted.error()));
  if (!predicted || !other) return false;
  EXPECT_EQ(predicted->changed->whole, other->step()) << what;
  EXPECT_GT(predicted->changed->memory, Bytes{}) << what;
  return true;
}

Plan with(Plan plan, const Plan& other) {
  for (const auto& [word, value] : other) plan[word] = value;
  return plan;
}

TEST(WhatIfJobs, EveryChangeMakesTheOtherJob) {
  const std::vector<std::pair<std::string, Plan>> cases = {
      {"tp=4", {{"tp", "4"}, {"dp", "2"}}},
      {"pp=4", {{"pp", "4"}, {"dp", "2"}}},
      {"pp=1", {{"pp", "1"}, {"dp", "8"}}},
      {"cp=2", {{"cp", "2"}, {"dp", "2"}}},
      {"micro_batch=2", {{"micro_batch", "2"}}},
      {"global_batch=64", {{"global_batch", "64"}}},
      {"microbatches=16", {{"global_batch", "64"}}},
      {"seq=4096", {{"seq", "4096"}}},
      {"layers=16", {{"layers", "16"}}},
      {"hidden=2048", {{"hidden", "2048"}}},
      {"ffn=8192", {{"ffn", "8192"}}},
      {"heads=64", {{"heads", "64"}}},
      {"recompute=full", {{"recompute", "full"}}},
      {"recompute=selective", {{"recompute", "selective"}}},
      {"sharding=zero1", {{"sharding", "zero1"}}},
      {"sharding=zero3", {{"sharding", "zero3"}}},
      {"schedule=gpipe", {{"schedule", "gpipe"}}},
      {"schedule=zb_h1", {{"schedule", "zb_h1"}}},
  };
  for (const auto& [change, other] : cases)
    EXPECT_TRUE(expect_same(kPlan, {change}, with(kPlan, other))) << change;
  EXPECT_TRUE(expect_same(kPlan, {"schedule=interleaved", "chunks=2"},
                          with(kPlan, {{"schedule", "interleaved"}, {"chunks", "2"}})));
}

// Each replica does what it did, on twice the devices.
TEST(WhatIfJobs, MoreReplicasTakeMoreDevicesAndSamples) {
  expect_same(kPlan, {"dp=8"}, with(kPlan, {{"dp", "8"}, {"global_batch", "64"}}), "h100-sxm:32");
  expect_same(kPlan, {"dp=8", "global_batch=32"}, with(kPlan, {{"dp", "8"}}), "h100-sxm:32");
}

TEST(WhatIfJobs, OtherDevicesAndClusters) {
  expect_same(kPlan, {"gpu=b200"}, kPlan, "b200:16");
  expect_same(kPlan, {"cluster=h200-sxm:16", "tp=4"}, with(kPlan, {{"tp", "4"}, {"dp", "2"}}),
              "h200-sxm:16");
}

// Collectives by another algorithm are those of a run with it, also with other changes.
TEST(WhatIfJobs, OtherAlgorithms) {
  for (const char* words : {"ring", "ring,direct", "auto"})
    for (const bool devices : {false, true}) {
      Question with_it = question_of(kPlan, devices ? "b200:16" : "h100-sxm:16");
      with_it.collective_algorithm = words;
      const auto other = simulate(with_it);
      ASSERT_TRUE(other.has_value()) << words << to_string(other.error());
      std::vector<std::string> changes = {std::string("algorithm=") + words};
      if (devices) changes.emplace_back("gpu=b200");
      const auto predicted = changed(kPlan, changes);
      ASSERT_TRUE(predicted.has_value()) << words << to_string(predicted.error());
      EXPECT_EQ(predicted->changed->whole, other->step()) << words;
      EXPECT_NE(predicted->changed->whole, changed(kPlan, {"latency=1"})->changed->whole) << words;
    }
  EXPECT_FALSE(changed(kPlan, {"algorithm=rings"}).has_value());
}

TEST(WhatIfJobs, FactorsOfKernelsAndLinks) {
  const auto after = [](const std::string& change) {
    const auto predicted = changed(kPlan, {change});
    EXPECT_TRUE(predicted.has_value()) << change;
    return predicted ? predicted->changed->whole : Time{};
  };
  const auto base = changed(kPlan, {});
  ASSERT_TRUE(base.has_value());
  const Time was = base->base.whole;
  EXPECT_EQ(after("kernels=1"), was);
  EXPECT_EQ(after("gemm=1"), was);
  EXPECT_EQ(after("bandwidth=1"), was);
  EXPECT_LT(after("kernels=0.5"), after("gemm=0.5"));
  EXPECT_LT(after("gemm=0.5"), was);
  EXPECT_LT(after("bandwidth=2"), was);
  EXPECT_GT(after("bandwidth=0.5"), was);
  EXPECT_GT(after("latency=100"), was);
}

// A recording beside a job: its step (the second; the first is taken to warm up) times the ratio.
TEST(WhatIfJobs, ARecordedStepGoesByTheRatio) {
  WhatIfQuestion question;
  question.base = question_of(kPlan, "h100-sxm:16");
  question.base.recorded.traces = {std::string(core_testing::kSourceFolder) +
                                   "/data/demo/ddp_transformer/rank*.kineto.json.gz"};
  question.changes = {"tp=4"};
  Watch watch;
  const auto predicted = what_if(question, watch);
  ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
  ASSERT_TRUE(predicted->recorded && predicted->predicted && predicted->changed);
  EXPECT_NEAR(static_cast<double>(predicted->recorded->count()) / 1e9, 52.8, 0.2);  // ms
  const double ratio = static_cast<double>(predicted->changed->whole.count()) /
                       static_cast<double>(predicted->base.whole.count());
  EXPECT_NEAR(static_cast<double>(predicted->predicted->count()) /
                  static_cast<double>(predicted->recorded->count()),
              ratio, 1e-9);
  EXPECT_EQ(predicted->ranks, 16u);
}

/// A step of so many products on one GPU, each of 1 ms.
class RecordedJob : public ByHand {
 protected:
  std::string products(int many) {
    std::vector<std::string> events;
    for (int i = 0; i < many; ++i) {
      events.push_back(event(
          "cpu_op", "aten::mm", false, 1, 10 + 20 * i, 10, 1000 + i,
          R"(, "Input Dims": [[2048, 4096], [4096, 4096]], "Input type": ["c10::BFloat16", "c10::BFloat16"])"));
      events.push_back(launch(12 + 20 * i, i + 1));
      events.push_back(kernel("sm90_xmma_gemm_bf16", 7, 1000 + 1000 * i, 1000, i + 1));
    }
    return write("rank0.json", events, 0, 1);
  }
};

// Kernels of a job beside its recording take what was recorded, operation by operation.
TEST_F(RecordedJob, KernelsAreHeldAgainstTheRecording) {
  WhatIfQuestion question;
  question.base =
      question_of({{"layers", "4"}, {"seq", "2048"}, {"global_batch", "1"}}, "h100-sxm:1");
  const auto alone = simulate(question.base);
  ASSERT_TRUE(alone.has_value());
  question.base.recorded.traces = {products(60)};
  question.changes = {"layers=8"};
  Watch watch;
  const auto predicted = what_if(question, watch);
  ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
  ASSERT_EQ(predicted->operations.size(), 1u);
  const OperationTime& products = predicted->operations[0];
  EXPECT_EQ(products.operation, graph::Operation::gemm);
  EXPECT_EQ(products.recorded, Time(60'000'000'000));
  const std::string factor = fmt::format("gemm={:.4f}", products.factor());
  Question slower = question.base;
  slower.recorded = {};
  slower.changes = {factor};
  const auto same = simulate(slower);
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(predicted->base.whole, same->step());
  EXPECT_NE(predicted->base.whole, alone->step());
  slower.changes = {factor, "layers=8"};
  const auto longer = simulate(slower);
  ASSERT_TRUE(longer.has_value());
  EXPECT_EQ(predicted->changed->whole, longer->step());
}

// Traces on a cluster: models' kernels and links can change, a plan is not there.
TEST(WhatIfJobs, TracesOnAClusterHaveNoPlan) {
  WhatIfQuestion question;
  question.base.workload = std::string(core_testing::kSourceFolder) + "/examples/step/step";
  question.base.cluster = "h100-sxm:8";
  question.list = true;
  Watch watch;
  const auto predicted = what_if(question, watch);
  ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
  EXPECT_FALSE(predicted->replayed);
  const bool links =
      std::any_of(predicted->list.begin(), predicted->list.end(),
                  [](const ChangeTrial& tried) { return tried.change == "bandwidth=2"; });
  EXPECT_TRUE(links);
  question.changes = {"tp=4"};
  EXPECT_FALSE(what_if(question, watch).has_value());
}

// 200 pairs of plans (with full effort) that were drawn, some of which break a rule: then both are
// refused.
TEST(WhatIfJobs, RandomPairsOfPlans) {
  std::mt19937_64 random(20);
  const auto one_of = [&](std::initializer_list<const char*> values) {
    return std::string(*(values.begin() + random() % values.size()));
  };
  const auto draw = [&] {
    Plan plan = kPlan;
    for (const char* word : {"tp", "pp", "cp", "micro_batch"}) plan[word] = one_of({"1", "2", "4"});
    plan["recompute"] = one_of({"none", "selective", "full"});
    plan["sharding"] = one_of({"none", "zero1", "zero2", "zero3"});
    plan["layers"] = one_of({"4", "8", "12"});
    plan["seq"] = one_of({"1024", "2048"});
    const int others = std::stoi(plan["tp"]) * std::stoi(plan["pp"]) * std::stoi(plan["cp"]);
    plan["dp"] = fmt::format("{}", 16 / others);
    return plan;
  };
  const int pairs = core_testing::case_count(200, 50);
  int compared = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const Plan from = draw(), to = draw();
    if (from.at("dp") == "0" || to.at("dp") == "0") continue;
    if (!simulate(question_of(from, "h100-sxm:16"))) continue;
    std::vector<std::string> changes;
    for (const auto& [word, value] : to)
      if (from.at(word) != value && word != "dp") changes.push_back(word + "=" + value);
    if (changes.empty()) continue;
    compared += expect_same(from, changes, to) ? 1 : 0;
  }
  EXPECT_GT(compared, pairs / 2);
}

// 200 pairs of jobs (with full effort) of one plan that hide other communication behind their work.
TEST(WhatIfJobs, OverlapAddedAndRemoved) {
  std::mt19937_64 random(24);
  const auto one_of = [&](std::initializer_list<const char*> values) {
    return std::string(*(values.begin() + random() % values.size()));
  };
  const int pairs = core_testing::case_count(200, 40);
  int compared = 0, other = 0;
  while (compared < pairs) {
    Plan from = kPlan;
    from["parallel.sp"] = "true";
    from["sharding"] = one_of({"none", "zero1", "zero3"});
    from["pp"] = one_of({"1", "2"});
    from["dp"] = from["pp"] == "1" ? "8" : "4";
    from["layers"] = one_of({"2", "4"});
    from["global_batch"] = "16";
    const auto draw_overlap = [&](Plan& plan) {
      plan["parallel.overlap_gradients"] = one_of({"true", "false"});
      plan["parallel.overlap_weights"] = one_of({"true", "false"});
      plan["parallel.tp_overlap"] = one_of({"none", "ring"});
      plan["parallel.prefetch"] = one_of({"0", "1", "2"});
      plan["schedule.overlap"] = one_of({"true", "false"});
      plan["schedule.blocking_sends"] = one_of({"true", "false"});
    };
    Plan to = from;
    draw_overlap(from);
    draw_overlap(to);
    const auto base = simulate(question_of(from, "h100-sxm:16"));
    if (!base) continue;
    std::vector<std::string> changes;
    for (const auto& [word, value] : to)
      if (from.at(word) != value) changes.push_back(word + "=" + value);
    if (changes.empty() || !expect_same(from, changes, to)) continue;
    ++compared;
    const auto predicted = simulate(question_of(to, "h100-sxm:16"));
    other += predicted->step() != base->step() ? 1 : 0;
  }
  EXPECT_GT(other, pairs * 3 / 4);
}

}  // namespace
}  // namespace orrery::study
