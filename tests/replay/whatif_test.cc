// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/whatif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "handmade_traces_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/recordings/replay.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;

const fs::path kWhatIfFixtures =
    std::string(core_testing::kSourceFolder) + "/tests/cli/fixtures/replay";
const fs::path kTraces =
    fs::path(core_testing::kSourceFolder) / ".." / "shared" / "data" / "traces";
const fs::path kDemo = fs::path(core_testing::kSourceFolder) / "data" / "demo" / "ddp_transformer";

WhatIf ask(WhatIfQuestion question) {
  Watch watch;
  auto predicted = what_if(question, watch);
  EXPECT_TRUE(predicted.has_value()) << (predicted ? "" : to_string(predicted.error()));
  return predicted ? std::move(*predicted) : WhatIf{};
}

WhatIfQuestion about(std::vector<std::string> traces, std::vector<std::string> changes = {}) {
  WhatIfQuestion question;
  question.base.recorded.traces = std::move(traces);
  question.changes = std::move(changes);
  return question;
}

Time after(const std::vector<std::string>& traces, const std::vector<std::string>& changes) {
  return ask(about(traces, changes)).changed.value_or(StepEstimate{}).whole;
}

std::vector<ChangeTrial> listed(const std::vector<std::string>& traces) {
  WhatIfQuestion question = about(traces);
  question.list = true;
  question.most = 0;
  return ask(question).list;
}

class WhatIfTest : public ByHand {};

TEST_F(WhatIfTest, AFactorIsOfWhatItSays) {
  const std::string two = (kWhatIfFixtures / "two.json").string();
  EXPECT_EQ(ask(about({two})).base.whole, us(1015));
  EXPECT_EQ(after({two}, {"kernels=0.5"}), us(945));
  EXPECT_EQ(after({two}, {"kernels=0.5", "copies=0.5"}), us(515));
  EXPECT_EQ(after({two}, {"kernel:gemm=2"}), us(2015));
  EXPECT_EQ(after({two}, {"kernels=1"}), us(1015));
}

TEST_F(WhatIfTest, WaitsThatNothingExplainsCanGo) {
  const std::string gap = (kWhatIfFixtures / "gap.json").string();
  EXPECT_EQ(ask(about({gap})).base.whole, us(550));
  EXPECT_EQ(after({gap}, {"waits=0"}), us(154));
}

// A communication beside a kernel of 1 ms, and then behind it.
TEST_F(WhatIfTest, WithoutOverlapCommunicationIsExposed) {
  const std::string path = write("overlap.json", {launch(0, 1), kernel("gemm", 7, 10, 1000, 1),
                                                  launch(20, 2), all_reduce(9, 30, 600, 2)});
  EXPECT_EQ(ask(about({path})).base.whole, us(1010));
  EXPECT_EQ(after({path}, {"overlap=none"}), us(1610));
  EXPECT_EQ(after({path}, {"overlap=none", "communication=0.5"}), us(1310));
}

TEST_F(WhatIfTest, AHostThatWaitsForNoDeviceGoesOn) {
  const std::string path =
      write("sync.json", {launch(0, 1), kernel("gemm", 7, 10, 1000, 1),
                          event("cuda_runtime", "cudaDeviceSynchronize", false, 1, 20, 1000, 9),
                          launch(1030, 2), kernel("after", 7, 1040, 100, 2)});
  EXPECT_EQ(ask(about({path})).base.whole, us(1140));
  // The second kernel follows the first as soon as the stream is free.
  EXPECT_LE(after({path}, {"syncs=none"}), us(1120));
  EXPECT_GE(after({path}, {"syncs=none"}), us(1110));
}

TEST_F(WhatIfTest, ElementwiseChainsBecomeOneKernel) {
  const std::string path =
      write("chain.json", {launch(0, 1), kernel("elementwise_add", 7, 50, 100, 1), launch(10, 2),
                           kernel("elementwise_mul", 7, 150, 300, 2), launch(20, 3),
                           kernel("gemm", 7, 450, 100, 3), launch(30, 4),
                           kernel("elementwise_gelu", 7, 550, 100, 4)});
  EXPECT_EQ(ask(about({path})).base.whole, us(650));
  EXPECT_EQ(after({path}, {"fusion=elementwise"}), us(550) + Time(1));  // 300 for 100 + 300
}

/// Two ranks that meet in an all-reduce; the second computes three times as long.
class Straggler : public WhatIfTest {
 protected:
  [[nodiscard]] std::vector<std::string> traces() {
    return {write("r0.json",
                  {launch(0, 1), kernel("gemm", 7, 10, 1000, 1), launch(20, 2),
                   all_reduce(7, 1010, 2100, 2)},
                  0),
            write("r1.json",
                  {launch(0, 1), kernel("gemm", 7, 10, 3000, 1), launch(20, 2),
                   all_reduce(7, 3010, 100, 2)},
                  1)};
  }
};

TEST_F(Straggler, IsFoundFirst) {
  const auto ranks = traces();
  EXPECT_EQ(ask(about(ranks)).base.whole, us(3110));
  EXPECT_EQ(after(ranks, {"stragglers=none"}), us(1110));
  const auto list = listed(ranks);
  ASSERT_FALSE(list.empty());
  // After the kernels, which are a group of their own.
  const auto first =
      std::find_if(list.begin(), list.end(), [](const auto& one) { return one.kind != "kernel"; });
  ASSERT_NE(first, list.end());
  EXPECT_EQ(first->change, "stragglers=none");
  EXPECT_EQ(first->kind, "rank");
}

TEST_F(Straggler, OneRankCanBeMadeSlow) {
  const auto ranks = traces();
  EXPECT_GT(after(ranks, {"rank:1=2"}), us(6000));
  EXPECT_LT(after(ranks, {"rank:0=2"}), us(3150));  // it waited, and now does not
}

/// The first change of a kind.
ChangeTrial first_of(const std::vector<ChangeTrial>& list, std::string_view kind) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const ChangeTrial& tried) { return tried.kind == kind; });
  return found == list.end() ? ChangeTrial{} : *found;
}

// The best that could be done is known by construction, and stands first of its kind. Changes of
// all work of a kind contain others, so they are last.
TEST_F(WhatIfTest, TheBestFixStandsFirst) {
  const std::string one_kernel =
      write("kernel.json", {launch(0, 1), kernel("slow", 7, 10, 1000, 1), launch(10, 2),
                            kernel("quick", 7, 1010, 50, 2)});
  const auto kernels = listed({one_kernel});
  ASSERT_GE(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].change, "named:slow=0.5");
  EXPECT_EQ(first_of(kernels, "all").change, "kernels=0.5");
  const auto total = std::find_if(kernels.begin(), kernels.end(),
                                  [](const ChangeTrial& tried) { return tried.kind == "all"; });
  EXPECT_TRUE(std::all_of(total, kernels.end(),
                          [](const ChangeTrial& tried) { return tried.kind == "all"; }));

  const std::string link = write("link.json", {launch(0, 1), kernel("gemm", 7, 10, 100, 1),
                                               launch(10, 2), all_reduce(7, 110, 2000, 2)});
  ASSERT_FALSE(listed({link}).empty());
  EXPECT_EQ(first_of(listed({link}), "all").change, "communication=0.5");
  EXPECT_EQ(first_of(listed({link}), "all").time, us(2000));

  std::vector<std::string> short_kernels;
  for (int i = 0; i < 50; ++i) {
    short_kernels.push_back(event("cuda_runtime", "cudaLaunchKernel", false, 1, 40 * i, 35, i + 1));
    short_kernels.push_back(kernel("tiny", 7, 40 * i + 36, 3, i + 1));
  }
  const std::string host = write("host.json", short_kernels);
  ASSERT_FALSE(listed({host}).empty());
  EXPECT_EQ(first_of(listed({host}), "all").change, "host=0.5");
}

TEST_F(WhatIfTest, PairsSayWhetherTheyAddUp) {
  const std::string path = write("pairs.json", {launch(0, 1), kernel("first", 7, 10, 1000, 1),
                                                launch(10, 2), kernel("second", 7, 1010, 1000, 2),
                                                launch(20, 3), kernel("beside", 9, 30, 1400, 3)});
  WhatIfQuestion question = about({path});
  question.combine = true;
  const WhatIf predicted = ask(question);
  const auto place = [&](std::string_view change) {
    const auto found =
        std::find_if(predicted.list.begin(), predicted.list.end(),
                     [&](const ChangeTrial& tried) { return tried.change == change; });
    EXPECT_NE(found, predicted.list.end()) << change;
    return static_cast<std::size_t>(found - predicted.list.begin());
  };
  const auto of = [&](std::size_t a, std::size_t b) {
    for (const ChangePair& pair : predicted.pairs)
      if ((pair.first == a && pair.second == b) || (pair.first == b && pair.second == a))
        return pair;
    ADD_FAILURE() << a << " and " << b;
    return ChangePair{};
  };
  // Each wins 500 us alone, and what runs beside them lets them win 580 together.
  const ChangePair both = of(place("named:first=0.5"), place("named:second=0.5"));
  EXPECT_EQ(both.together, PairEffect::in_part);
  EXPECT_EQ(both.whole, us(1430));
}

/// When the last rank of a replay ends, counted from its own beginning.
Time replayed(const std::vector<std::string>& traces, const profile::CostScales& scales) {
  ReplayQuestion question;
  question.recorded.traces = traces;
  question.scales = scales;
  Watch watch;
  const auto predicted = replay(question, watch);
  EXPECT_TRUE(predicted.has_value());
  Time most{};
  for (const ReplayedRank& rank : predicted->ranks) most = std::max(most, rank.simulated);
  return most;
}

void expect_near(Time a, Time b, std::int64_t share, const std::string& what) {
  EXPECT_LE(std::abs((a - b).count()), b.count() / share) << what;
}

// A change to a graph is what a change to the recording is.
TEST_F(WhatIfTest, AgreesWithScaledReplays) {
  std::vector<std::string> traces = {(kWhatIfFixtures / "two.json").string(),
                                     (kWhatIfFixtures / "gap.json").string()};
  if (fs::exists(kTraces)) {
    traces.push_back((kTraces / "hta/nccl_data.a100_2rank.rank0.json.gz").string());
    traces.push_back((kTraces / "tracelens/mi300~resnet_act_checkpoint.json.gz").string());
  }
  for (const std::string& trace : traces) {
    expect_near(after({trace}, {"kernels=0.5"}), replayed({trace}, {.kernels = 0.5}), 10'000,
                trace);
    expect_near(after({trace}, {"host=0.5"}), replayed({trace}, {.host = 0.5}), 10'000, trace);
    expect_near(after({trace}, {"copies=0.5"}), replayed({trace}, {.copies = 0.5}), 10'000, trace);
    expect_near(after({trace}, {"communication=0.5"}), replayed({trace}, {.communication = 0.5}),
                10'000, trace);
  }
  // Without a device, operators are what computes; each rank's replay begins with its own events.
  const std::vector<std::string> demo = {(kDemo / "rank*.kineto.json.gz").string()};
  expect_near(after(demo, {"kernels=0.5"}), replayed(demo, {.host = 0.5}), 30, "demo");
}

// What is proposed is what making the change gives.
TEST_F(WhatIfTest, ProposalsAreConfirmed) {
  const std::vector<std::string> traces = {(kDemo / "rank*.kineto.json.gz").string()};
  const auto list = listed(traces);
  ASSERT_GT(list.size(), 10u);
  for (const ChangeTrial& tried : list) EXPECT_EQ(after(traces, {tried.change}), tried.whole);
}

// One trace stands for all ranks of a cluster; these have a trace, so that no job is looked for.
TEST_F(WhatIfTest, OneTraceCanStandForAllRanks) {
  const auto one = kDemo / "rank0.kineto.json.gz";
  WhatIfQuestion question = about({one.string()}, {"kernels=0.5"});
  question.base.replicate = true;
  Watch watch;
  const auto without_cluster = what_if(question, watch);
  ASSERT_FALSE(without_cluster.has_value());
  EXPECT_EQ(without_cluster.error().code, Errc::usage);
  question.base.cluster = "h100-sxm:8";
  const WhatIf eight = ask(question);
  EXPECT_EQ(eight.ranks, 8u);
  EXPECT_FALSE(eight.traced || eight.recorded);  // nobody recorded eight
  ASSERT_TRUE(eight.changed.has_value());
  EXPECT_LT(eight.changed->whole, eight.base.whole);
  question.changes = {"cluster=h100-sxm:16"};
  const WhatIf sixteen = ask(question);
  ASSERT_TRUE(sixteen.answer.has_value());
  EXPECT_EQ(sixteen.answer->outcome().workload().rank_count(), 16u);
  question.changes = {"dp=16"};  // all of them are replicas
  EXPECT_EQ(ask(question).changed->whole, sixteen.changed->whole);
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"dp=0"},
                                                {"dp=2.5"},
                                                {"dp=16", "cluster=h100-sxm:16"},
                                                {"cluster=h100-sxm:16", "dp=16"}}) {
    question.changes = wrong;
    EXPECT_FALSE(what_if(question, watch).has_value()) << wrong[0];
  }
  question.changes = {"tp=2"};  // it is of no job that is known
  const auto of_a_plan = what_if(question, watch);
  ASSERT_FALSE(of_a_plan.has_value());
  EXPECT_EQ(of_a_plan.error().code, Errc::input_unsupported);
}

TEST_F(WhatIfTest, SaysWhatCannotBeChanged) {
  const std::string two = (kWhatIfFixtures / "two.json").string();
  const auto refused = [&](const std::string& change) {
    Watch watch;
    const auto predicted = what_if(about({two}, {change}), watch);
    return predicted ? std::string() : to_string(predicted.error());
  };
  EXPECT_THAT(refused("kernals=0.5"), testing::HasSubstr("kernels"));
  EXPECT_THAT(refused("kernels"), testing::HasSubstr("NAME=VALUE"));
  EXPECT_THAT(refused("kernels=-1"), testing::HasSubstr("factor"));
  EXPECT_THAT(refused("kernels=nan"), testing::HasSubstr("factor"));
  EXPECT_THAT(refused("overlap=some"), testing::HasSubstr("overlap=none"));
  EXPECT_THAT(refused("rank:7=2"), testing::HasSubstr("no rank 7"));
  EXPECT_THAT(refused("rank:x=2"), testing::HasSubstr("does not contain a rank number"));
  const auto together = [&](const std::vector<std::string>& changes) {
    Watch watch;
    const auto predicted = what_if(about({two}, changes), watch);
    return predicted ? std::string() : to_string(predicted.error());
  };
  for (const std::vector<std::string>& changes :
       {std::vector<std::string>{"gpu=b200", "gpu=h100-sxm"},
        {"gpu=b200", "cluster=h100-sxm:2"},
        {"tp=2", "tp=4"},
        {"layers=4", "layers=8"},
        {"layers=4", "model.layers=8"},
        {"microbatches=4", "global_batch=8"},
        {"algorithm=ring", "algorithm=auto"}})
    EXPECT_THAT(together(changes), testing::HasSubstr("changes the same thing")) << changes[1];
  EXPECT_EQ(together({"kernels=0.5", "kernels=0.5", "overlap=none", "overlap=none"}), "");
  const WhatIf unused = ask(about({two}, {"kernel:conv=0.5"}));
  EXPECT_EQ(unused.findings.count(FindingCode::key_without_effect), 1u);
  EXPECT_EQ(unused.changed->whole, unused.base.whole);
}

// Of a job no work has a time: the platform follows one slow rank, and what nothing follows says
// so.
TEST_F(WhatIfTest, OfJobsARankCanBeSlowAndTheRestSaysSo) {
  const auto of_job = [&](std::vector<std::string> changes) {
    WhatIfQuestion question;
    question.base.job.model = "llama-3.1-8b";
    question.base.job.tp = "2";
    question.base.job.global_batch = "4";
    question.base.job.set = {"model.layers=4"};
    question.base.cluster = "h100-sxm:4";
    question.changes = std::move(changes);
    return ask(question);
  };
  const WhatIf slow = of_job({"rank:1=1.5"});
  const double longer = seconds(slow.changed->whole) / seconds(slow.base.whole);
  EXPECT_GT(longer, 1.2);
  EXPECT_LT(longer, 1.5);  // communication is as quick as before
  EXPECT_EQ(slow.findings.count(FindingCode::key_without_effect), 0u);
  EXPECT_EQ(of_job({"rank:1=1.2", "rank:1=1.25"}).changed->whole, slow.changed->whole);
  const WhatIf all = of_job({"rank:0=1.5", "rank:1=1.5", "rank:2=1.5", "rank:3=1.5"});
  EXPECT_GE(all.changed->whole, slow.changed->whole);
  for (const char* const change :
       {"host=0.5", "communication=0.5", "variability=0.1", "waits=0.5"}) {
    const WhatIf predicted = of_job({change});
    EXPECT_EQ(predicted.changed->whole, predicted.base.whole) << change;
    EXPECT_EQ(predicted.findings.count(FindingCode::key_without_effect), 1u) << change;
  }
  EXPECT_EQ(of_job({"gemm=0.5"}).findings.count(FindingCode::key_without_effect), 0u);
}

// What is known of kernels by their names alone: products by peaks, the rest by bandwidths.
TEST_F(WhatIfTest, KernelsMoveToAnotherDevice) {
  const std::string path = write("two.json", {launch(0, 1), kernel("sgemm", 7, 10, 1000, 1),
                                              launch(10, 2), kernel("add", 7, 1010, 1000, 2)});
  const auto on = [&](const std::string& from, const std::string& to) {
    WhatIfQuestion question = about({path}, {"gpu=" + to});
    question.device = from;
    Watch watch;
    return what_if(question, watch);
  };
  const auto same = on("h100-sxm", "h100-sxm");
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->changed->whole, us(2010));
  const auto other = on("a100-80gb", "h100-sxm");
  ASSERT_TRUE(other.has_value());
  const platform::DeviceEntry& a100 = *platform::find_device("a100-80gb");
  const platform::DeviceEntry& h100 = *platform::find_device("h100-sxm");
  const double products = a100.peaks.front().rate.count() / h100.peaks.front().rate.count();
  const double others = a100.memory_bandwidth.count() / h100.memory_bandwidth.count();
  const double expected = 10 + 1000 * products + 1000 * others;
  EXPECT_NEAR(static_cast<double>(other->changed->whole.count()) / 1e6, expected, 0.01);
  EXPECT_THAT(other->device_conversion,
              testing::HasSubstr("50 % with memory bandwidth, 50 % with peak"));
  EXPECT_FALSE(on("", "h100-sxm").has_value()) << "the recording does not say";
  EXPECT_FALSE(on("h100-smx", "h100-sxm").has_value());
  EXPECT_FALSE(on("h100-sxm", "h900").has_value());
}

// Kernels whose shapes are known take the ratio of their models' times.
TEST_F(WhatIfTest, RecordedKernelsMoveByTheirModels) {
  const fs::path trace =
      kTraces / "tracelens" / "h100~facebook_timesformer-base-finetuned-k400__1016002.json.gz";
  if (!fs::exists(trace)) GTEST_SKIP() << "shared/data/traces is not here";
  const WhatIf same = ask(about({trace.string()}, {"gpu=h100-sxm"}));
  EXPECT_EQ(same.changed->whole, same.base.whole);
  EXPECT_THAT(same.device_conversion,
              testing::HasSubstr("100 % of their time scaled with kernel models"));
  EXPECT_LT(after({trace.string()}, {"gpu=b200"}), same.base.whole);
  EXPECT_GT(after({trace.string()}, {"gpu=a100-80gb"}), same.base.whole);
}

// A layer of TimeSformer attends to time and to space before its one MLP.
TEST_F(WhatIfTest, AttentionsBeforeOneMlpAreOfOneLayer) {
  const fs::path trace =
      kTraces / "tracelens" / "h100~facebook_timesformer-base-finetuned-k400__1016002.json.gz";
  if (!fs::exists(trace)) GTEST_SKIP() << "shared/data/traces is not here";
  const WhatIf more = ask(about({trace.string()}, {"layers=13"}));
  ASSERT_TRUE(more.found && more.changed);
  EXPECT_EQ(more.found->layers, 12u);
  // … and if somebody says that these are two, it is believed, and said.
  WhatIfQuestion question = about({trace.string()}, {"layers=26"});
  question.base.structure.layers = 24;
  const WhatIf said = ask(question);
  ASSERT_TRUE(said.found && said.changed);
  EXPECT_EQ(said.found->layers, 24u);
  EXPECT_EQ(said.changed->whole, more.changed->whole);
}

TEST_F(WhatIfTest, VariabilityKeepsMeans) {
  const std::vector<std::string> traces = {(kDemo / "rank*.kineto.json.gz").string()};
  const Time base = ask(about(traces)).base.whole;
  EXPECT_EQ(after(traces, {"variability=0"}), base);
  const Time varied = after(traces, {"variability=0.1"});
  EXPECT_NE(varied, base);
  EXPECT_LT(std::abs((varied - base).count()), base.count() / 20);
  EXPECT_EQ(after(traces, {"variability=0.1"}), varied);
  // What takes no time stays so: it does not become what nobody measured
  EXPECT_LT(after(traces, {"communication=0", "variability=0.5"}),
            after(traces, {"variability=0.5"}));
}

}  // namespace
}  // namespace orrery::study
