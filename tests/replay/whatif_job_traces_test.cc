// SPDX-License-Identifier: Apache-2.0
//
// Traces of a job, nothing else known of it, changed into another plan, are that other job.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "orrery/core/effort_testing.h"
#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/study/jobs/workload_to_chakra.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/recordings/work_difference.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;

/// Words of changes and their values.
using PlanWords = std::map<std::string, std::string>;

PlanWords replaced(PlanWords plan, const PlanWords& other) {
  for (const auto& [word, value] : other) plan[word] = value;
  return plan;
}

std::string path_of(const std::string& word) {
  for (const ChangeKind& known : change_kinds())
    if (known.name == word) return std::string(known.path);
  return word;
}

class WhatIfTraced : public testing::Test {
 protected:
  WhatIfTraced()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~WhatIfTraced() override { fs::remove_all(folder_); }

  static Result<Answer> job(const std::string& model, const PlanWords& plan,
                            const std::string& cluster) {
    Question question;
    question.job.model = model;
    question.cluster = cluster;
    for (const auto& [word, value] : plan) question.job.set.push_back(path_of(word) + "=" + value);
    return simulate(question);
  }

  /// Empty where there is no such job.
  [[nodiscard]] std::string traces(const std::string& model, const PlanWords& plan,
                                   const std::string& cluster = kCluster) const {
    const auto answer = job(model, plan, cluster);
    if (!answer) return "";
    const std::string prefix = (folder_ / "a").string();
    EXPECT_TRUE(write_chakra(*answer->outcome().inputs.load->program,
                             {.prefix = prefix, .overwrite = true}));
    return prefix;
  }

  static Result<WhatIf> ask(const std::string& prefix, const std::vector<std::string>& changes,
                            const std::string& cluster = kCluster) {
    WhatIfQuestion question;
    question.base.workload = prefix;
    question.base.cluster = cluster;
    question.changes = changes;
    Watch watch;
    return what_if(question, watch);
  }

  /// Leaves the traces of these ranks alone.
  static void keep_only(const std::string& prefix, const std::set<std::uint32_t>& ranks) {
    for (std::uint32_t rank = 0; fs::exists(fmt::format("{}.{}.et", prefix, rank)); ++rank)
      if (!ranks.contains(rank)) fs::remove(fmt::format("{}.{}.et", prefix, rank));
  }

  /// False where there is no such job, before or after. `kept`: the ranks whose traces there are;
  /// empty: all.
  [[nodiscard]] bool is_the_other(const std::string& model, const PlanWords& from,
                                  const std::vector<std::string>& changes, const PlanWords& to,
                                  const std::string& cluster_to = kCluster,
                                  const std::set<std::uint32_t>& retained = {}) const {
    const std::string what =
        fmt::format("{} {} {}", model, fmt::join(from, " "), fmt::join(changes, " "));
    const std::string prefix = traces(model, from);
    const auto other = job(model, to, cluster_to);
    if (prefix.empty() || !other) return false;
    if (!retained.empty()) keep_only(prefix, retained);
    const auto predicted = ask(prefix, changes);
    EXPECT_TRUE(predicted.has_value()) << what << (predicted ? "" : to_string(predicted.error()));
    if (!predicted) return true;
    EXPECT_EQ(predicted->traced->other, 0u) << what;
    EXPECT_EQ(predicted->traced->placed, 0u) << what;
    const graph::Workload& made = predicted->answer->outcome().workload();
    const graph::Workload& real = other->outcome().workload();
    EXPECT_EQ(made.rank_count(), real.rank_count()) << what;
    for (std::uint32_t rank = 0; rank < std::min(made.rank_count(), real.rank_count()); ++rank)
      EXPECT_TRUE(difference(work_signature(made, rank), work_signature(real, rank)).none())
          << what << " rank " << rank;
    EXPECT_EQ(predicted->changed->whole, other->step()) << what;
    return true;
  }

  static constexpr const char* kCluster = "h100-sxm:8";
  static constexpr const char* kModel = "llama-3.1-8b";
  fs::path folder_;
};

const PlanWords kTracedPlan = {{"tp", "2"},         {"pp", "2"},     {"dp", "2"},
                               {"layers", "8"},     {"seq", "2048"}, {"global_batch", "16"},
                               {"micro_batch", "1"}};

TEST_F(WhatIfTraced, EveryChangeOfTheList) {
  const std::vector<std::pair<std::vector<std::string>, PlanWords>> cases = {
      {{"tp=4"}, {{"tp", "4"}, {"dp", "1"}}},
      {{"tp=1"}, {{"tp", "1"}, {"dp", "4"}}},
      {{"pp=4"}, {{"pp", "4"}, {"dp", "1"}}},
      {{"pp=1"}, {{"pp", "1"}, {"dp", "4"}}},
      {{"cp=2"}, {{"cp", "2"}, {"dp", "1"}}},
      {{"schedule=gpipe"}, {{"schedule", "gpipe"}}},
      {{"schedule=zb_h1"}, {{"schedule", "zb_h1"}}},
      {{"schedule=interleaved", "chunks=2"}, {{"schedule", "interleaved"}, {"chunks", "2"}}},
      {{"sharding=zero1"}, {{"sharding", "zero1"}}},
      {{"sharding=zero2"}, {{"sharding", "zero2"}}},
      {{"sharding=zero3"}, {{"sharding", "zero3"}}},
      {{"recompute=selective"}, {{"recompute", "selective"}}},
      {{"recompute=full"}, {{"recompute", "full"}}},
      {{"micro_batch=2"}, {{"micro_batch", "2"}}},
      {{"global_batch=32"}, {{"global_batch", "32"}}},
      {{"seq=4096"}, {{"seq", "4096"}}},
      {{"hidden=2048", "parallel.sp=true"}, {{"hidden", "2048"}, {"parallel.sp", "true"}}},
      {{"ffn=8192"}, {{"ffn", "8192"}}},
      {{"heads=64"}, {{"heads", "64"}}},
      {{"precision.products=fp8"}, {{"precision.products", "fp8"}}},
      {{"layers=16", "tp=4"}, {{"layers", "16"}, {"tp", "4"}, {"dp", "1"}}},
      {{"microbatches=4", "pp=4"}, {{"global_batch", "4"}, {"pp", "4"}, {"dp", "1"}}},
  };
  for (const auto& [changes, other] : cases)
    EXPECT_TRUE(is_the_other(kModel, kTracedPlan, changes, replaced(kTracedPlan, other)))
        << fmt::format("{}", fmt::join(changes, " "));
  EXPECT_TRUE(is_the_other(kModel, kTracedPlan, {"dp=4"},
                           replaced(kTracedPlan, {{"dp", "4"}, {"global_batch", "32"}}),
                           "h100-sxm:16"));
  const PlanWords experts = {
      {"ep", "2"}, {"dp", "8"}, {"layers", "4"}, {"seq", "1024"}, {"global_batch", "16"}};
  EXPECT_TRUE(is_the_other("mixtral-8x7b", experts, {"ep=4"}, replaced(experts, {{"ep", "4"}})));
}

// Traces of a rank of each stage, or of the first rank alone, are of a job of many.
TEST_F(WhatIfTraced, AFewRanksSayWhatAllDo) {
  const std::vector<PlanWords> plans = {
      {},
      {{"sharding", "zero1"}, {"parallel.sp", "true"}},
      {{"sharding", "zero3"}, {"recompute", "full"}},
      {{"schedule", "interleaved"}, {"chunks", "2"}, {"recompute", "selective"}},
      {{"schedule", "zb_h1"}, {"micro_batch", "2"}},
      {{"cp", "2"}, {"dp", "1"}},
      {{"tp", "1"}, {"dp", "4"}, {"sharding", "zero2"}},
  };
  for (const PlanWords& plan : plans)
    for (const std::set<std::uint32_t>& retained : {std::set<std::uint32_t>{0, 4}, {0}}) {
      const PlanWords from = replaced(kTracedPlan, plan);
      const int dp = std::stoi(from.at("dp")), many = 32;
      const PlanWords to = replaced(
          from, {{"dp", std::to_string(dp * many)}, {"global_batch", std::to_string(16 * many)}});
      EXPECT_TRUE(is_the_other(kModel, from, {fmt::format("dp={}", dp * many)}, to,
                               fmt::format("h100-sxm:{}", 8 * many), retained))
          << fmt::format("{} of {}", fmt::join(retained, " "), fmt::join(plan, " "));
      const auto predicted = ask((folder_ / "a").string(), {});  // without a change it is told, too
      ASSERT_TRUE(predicted && predicted->traced);
      EXPECT_EQ(predicted->traced->ranks, retained.size());
      const auto job_itself = job(kModel, from, kCluster);
      EXPECT_EQ(predicted->base.whole, job_itself->step());
    }
  const PlanWords experts = {
      {"ep", "2"}, {"dp", "8"}, {"layers", "4"}, {"seq", "1024"}, {"global_batch", "16"}};
  EXPECT_TRUE(is_the_other("mixtral-8x7b", experts, {"ep=4"}, replaced(experts, {{"ep", "4"}}),
                           kCluster, {0}));
}

// Kernels of the ranks that are there say how long they take; no step was recorded of the others.
TEST_F(WhatIfTraced, NoStepIsRecordedOfAFewRanks) {
  const std::string prefix = traces(kModel, kTracedPlan);
  keep_only(prefix, {0, 4});
  const auto predicted = ask(prefix, {"tp=4"});
  ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
  EXPECT_FALSE(predicted->recorded || predicted->predicted);
  fs::remove(prefix + ".json");
  const auto unknown = ask(prefix, {"tp=4"});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, Errc::input_not_found);
}

// The job is told where it is asked for, whatever is changed; where none can be, before anything.
TEST_F(WhatIfTraced, IsToldWhenAskedFor) {
  WhatIfQuestion question;
  question.base.workload = traces(kModel, kTracedPlan);
  question.must_infer_job = true;
  Watch watch;
  const auto without_cluster = what_if(question, watch);
  ASSERT_FALSE(without_cluster.has_value());
  EXPECT_EQ(without_cluster.error().code, Errc::input_unsupported);  // nothing has a time
  question.base.cluster = kCluster;
  for (const char* change : {"", "kernels=0.5", "bandwidth=2"}) {
    if (*change != 0) question.changes = {change};
    const auto predicted = what_if(question, watch);
    ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
    EXPECT_TRUE(predicted->traced.has_value()) << change;
  }
}

// Schedule and sharding are said each time: traces of one stage or one replica have none.
TEST_F(WhatIfTraced, RandomPairsOfPlans) {
  std::mt19937_64 random(21);
  const auto one_of = [&](std::initializer_list<const char*> values) {
    return std::string(*(values.begin() + random() % values.size()));
  };
  const auto draw = [&] {
    PlanWords plan = kTracedPlan;
    for (const char* word : {"tp", "pp", "cp"}) plan[word] = one_of({"1", "1", "2", "4"});
    plan["micro_batch"] = one_of({"1", "2"});
    plan["recompute"] = one_of({"none", "selective", "full"});
    plan["sharding"] = one_of({"none", "zero1", "zero2", "zero3"});
    plan["schedule"] = one_of({"1f1b", "gpipe", "zb_h1"});
    plan["layers"] = one_of({"4", "8"});
    plan["seq"] = one_of({"1024", "2048"});
    const int others = std::stoi(plan["tp"]) * std::stoi(plan["pp"]) * std::stoi(plan["cp"]);
    plan["dp"] = fmt::format("{}", 8 / others);
    return plan;
  };
  int compared = 0;
  const int pairs = core_testing::case_count(200, 50);
  for (int pair = 0; pair < pairs; ++pair) {
    const std::string model = one_of({"llama-3.1-8b", "gpt3-6.7b", "qwen3-8b"});
    const PlanWords from = draw(), to = draw();
    if (from.at("dp") == "0" || to.at("dp") == "0") continue;
    std::vector<std::string> changes;
    for (const auto& [word, value] : to)
      if (word == "schedule" || word == "sharding" || (from.at(word) != value && word != "dp"))
        changes.push_back(word + "=" + value);
    compared += is_the_other(model, from, changes, to) ? 1 : 0;
  }
  RecordProperty("compared", compared);
  EXPECT_GT(compared, core_testing::case_count(80, 18));
}

// Kernels that traces have times of are as much slower than models say, before the change and with
// it; the traces' step goes by the ratio of the two.
TEST_F(WhatIfTraced, TimesOfTracesCount) {
  const std::string prefix = traces(kModel, kTracedPlan);
  Question question;
  question.workload = prefix;
  Watch watch;
  auto timed = read_workload(question, 0, watch);
  ASSERT_TRUE(timed.has_value());
  for (graph::GraphRef& graph : timed->graphs) {
    std::vector<Time> durations(graph->size());
    for (graph::NodeId n = 0; n < graph->size(); ++n)
      if (graph->kernel(n) != graph::kNoKernel) durations[n] = Time(2'000'000'000);
    graph = std::make_shared<const graph::Graph>(graph->with_durations(durations));
  }
  const std::string slow = (folder_ / "slow").string();
  ASSERT_TRUE(write_chakra_workload(*timed, slow, false));
  const auto predicted = ask(slow, {"tp=4"});
  ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
  const auto without = ask(prefix, {"tp=4"});
  ASSERT_TRUE(without.has_value());
  EXPECT_FALSE(without->recorded || without->predicted);
  ASSERT_TRUE(predicted->recorded && predicted->predicted && !predicted->operations.empty());
  const auto traces_alone = ask(slow, {});
  ASSERT_TRUE(traces_alone.has_value());
  EXPECT_EQ(*predicted->recorded, traces_alone->base.whole);
  EXPECT_GT(predicted->base.whole, without->base.whole);
  const auto ratio = [](Time a, Time b) {
    return static_cast<double>(a.count()) / static_cast<double>(b.count());
  };
  EXPECT_NEAR(ratio(*predicted->predicted, *predicted->recorded),
              ratio(predicted->changed->whole, predicted->base.whole), 1e-9);
}

// What is no trace of a language model, or says no kernels, is refused.
TEST_F(WhatIfTraced, WhatIsNotKnownIsRefused) {
  const std::string pictures = traces("resnet-50", {{"global_batch", "64"}});
  ASSERT_FALSE(pictures.empty());
  const auto predicted = ask(pictures, {"tp=2"});
  ASSERT_FALSE(predicted.has_value());
  EXPECT_EQ(predicted.error().code, Errc::input_unsupported);
}

}  // namespace
}  // namespace orrery::study
