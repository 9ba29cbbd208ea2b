// SPDX-License-Identifier: Apache-2.0
//
// Plans of collectives, simulated: as long as formulas say, on every network, whatever the size,
// and by way of cluster files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "orrery/core/paths_testing.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/study/collectives/algorithms/custom_algorithms.h"
#include "orrery/study/collectives/collective_plan.h"
#include "orrery/study/study.h"
#include "orrery/synthesis/algorithms/planned_algorithms.h"
#include "orrery/synthesis/formats/msccl.h"
#include "orrery/synthesis/formats/read_plan.h"
#include "orrery/synthesis/plans/example_plans_testing.h"
#include "orrery/synthesis/plans/plan_graphs.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using synthesis::halving_doubling_all_reduce;
using synthesis::Plan;
using synthesis::ring_all_reduce;

const fs::path kSamples = fs::path(core_testing::kSourceFolder) / "../shared/data/fabrics/mscclpp";

/// One switch; each port 100 GB/s, 500 ns a hop.
platform::Platform machine(std::int64_t devices, platform::NetworkModelKind network) {
  platform::Platform made;
  made.name = "machine";
  made.dims = {{platform::Block::switched, devices, Bandwidth(100e9), 500}};
  made.network = network;
  made.collectives.library = platform::CollectiveLibrary::ideal;
  return made;
}

constexpr platform::NetworkModelKind kNetworks[] = {platform::NetworkModelKind::analytical,
                                                    platform::NetworkModelKind::message,
                                                    platform::NetworkModelKind::flow};

Time time_of(const Plan& plan, std::int64_t bytes, const platform::Platform& platform,
             bool fold = false) {
  const auto time = study::simulate_plan(plan, Bytes(bytes), platform, fold);
  EXPECT_TRUE(time) << to_string(time.error());
  return time.value_or(Time{});
}

/// A message takes two hops of the switch and its bytes at 100 GB/s (10 ps a byte).
constexpr std::int64_t duration(std::int64_t bytes) { return 2 * 500'000 + bytes * 10; }

// 2(p-1)(a + n/(pB)): Thakur, Rabenseifner and Gropp 2005, section 4.
TEST(Plans, ARingTakesWhatTheClosedFormSays) {
  for (const std::uint32_t ranks : {2u, 3u, 4u, 8u, 16u}) {
    const auto platform = machine(ranks, platform::NetworkModelKind::analytical);
    for (const std::int64_t each : {1, 1000, 12'345'678}) {
      EXPECT_EQ(time_of(ring_all_reduce(ranks), each * ranks, platform).count(),
                2 * (ranks - 1) * duration(each))
          << ranks << " ranks, " << each << " bytes";
    }
  }
}

// Chunks of n/p that are no whole bytes: each round waits for the largest, which is one byte more.
TEST(Plans, OddSizesAreRoundedByAByteAtMost) {
  const auto platform = machine(8, platform::NetworkModelKind::analytical);
  for (std::int64_t bytes = 1'000'000; bytes < 1'000'008; ++bytes) {
    const std::int64_t time = time_of(ring_all_reduce(8), bytes, platform).count();
    EXPECT_GE(time, 14 * duration(bytes / 8));
    EXPECT_LE(time, 14 * duration(bytes / 8 + 1));
  }
}

// 2·log2(p)·a + 2n(p-1)/(pB), the same source; each message's time is rounded to a picosecond.
TEST(Plans, HalvingAndDoublingTakesWhatTheClosedFormSays) {
  for (const std::uint32_t ranks : {2u, 4u, 8u, 32u}) {
    const auto platform = machine(ranks, platform::NetworkModelKind::analytical);
    constexpr std::int64_t kEach = 4096;
    std::int64_t rounds = 0;
    for (std::uint32_t p = ranks; p > 1; p /= 2) ++rounds;
    const std::int64_t should = 2 * rounds * 1'000'000 + 2 * kEach * (ranks - 1) * 10;
    const Time is = time_of(halving_doubling_all_reduce(ranks), kEach * ranks, platform);
    EXPECT_LE(std::abs(is.count() - should), 2 * rounds) << ranks << " ranks";
  }
}

// What the parts of a buffer take adds up to the buffer, whatever its size.
TEST(Plans, SharesAddUpToTheBuffer) {
  for (const std::int64_t buffer : {std::int64_t{0}, std::int64_t{1}, std::int64_t{7},
                                    std::int64_t{1'000'003}, std::int64_t{1} << 60}) {
    for (const std::uint32_t pieces : {1u, 3u, 8u, 384u}) {
      std::int64_t sum = 0;
      for (std::uint32_t i = 0; i < pieces; ++i) {
        graph::PointToPoint message;
        message.set_share(i, 1, pieces);
        sum += message.share_of(Bytes(buffer)).count();
      }
      EXPECT_EQ(sum, buffer) << pieces;
    }
  }
}

/// Our own, and, beside a checkout that has them, those of MSCCL++.
std::vector<Plan> some_plans() {
  std::vector<Plan> plans{ring_all_reduce(4, 2), halving_doubling_all_reduce(4)};
  const synthesis::AlgorithmShape shape{6, 3, {}, 2, 0};
  for (const synthesis::PlannedAlgorithm& algorithm : synthesis::planned_algorithms())
    plans.push_back(algorithm.plan(shape));
  if (!fs::exists(kSamples)) return plans;
  for (const auto& entry : fs::directory_iterator(kSamples)) {
    Findings findings;
    auto plan = synthesis::read_plan_file(entry.path().string(), findings);
    if (plan) plans.push_back(*std::move(plan));
  }
  return plans;
}

// On a switch without others in the way, sharing links costs no time less than having them alone;
// folding changes nothing; nor does a larger cluster.
TEST(Plans, RunOnEveryNetworkFoldedOrNot) {
  for (const Plan& plan : some_plans()) {
    SCOPED_TRACE(plan.name);
    const auto members = static_cast<std::int64_t>(plan.ranks.size());
    std::int64_t alone = 0;
    for (const auto network : kNetworks) {
      const auto platform = machine(members, network);
      const std::int64_t time = time_of(plan, 1'000'000, platform).count();
      EXPECT_GT(time, 0);
      EXPECT_EQ(time_of(plan, 1'000'000, platform, true).count(), time);
      EXPECT_GT(time_of(plan, 100'000'000, platform).count(), time);
      EXPECT_EQ(time_of(plan, 1'000'000, machine(members + 3, network)).count(), time);
      if (network == platform::NetworkModelKind::analytical) alone = time;
      EXPECT_GE(time, alone);
    }
  }
}

TEST(Plans, ARankMayHaveNothingToDo) {
  Plan plan = ring_all_reduce(2);
  plan.collective = CollectiveType::unknown;
  plan.ranks.emplace_back();
  const std::int64_t time =
      time_of(plan, 2'000, machine(3, platform::NetworkModelKind::analytical)).count();
  EXPECT_EQ(time, 2 * duration(1'000));
}

TEST(Plans, TheSameAsTracesAreAsLong) {
  const fs::path folder = fs::path(testing::TempDir()) / "orrery-plan-traces";
  fs::remove_all(folder);
  const Plan plan = ring_all_reduce(4);
  Findings findings;
  ASSERT_TRUE(study::write_plan_traces(plan, (folder / "plan").string(), false, findings));
  const auto again = study::read_plan_or_traces((folder / "plan").string(), findings);
  ASSERT_TRUE(again) << to_string(again.error());
  const auto platform = machine(4, platform::NetworkModelKind::analytical);
  EXPECT_EQ(time_of(*again, 4'000, platform), time_of(plan, 4'000, platform));
  // What is there is not written over, and nothing of it is lost.
  EXPECT_EQ(
      study::write_plan_traces(plan, (folder / "plan").string(), false, findings).error().code,
      Errc::output_exists);
  EXPECT_TRUE(fs::exists(folder / "plan.0.et"));
  fs::remove_all(folder);
}

/// A cluster file beside a plan; jobs' all-reduces of all ranks run by it.
class ClusterFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "orrery-plan-clusters";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  Result<study::Answer> run(const std::string& collectives, const std::string& network) {
    write("cluster.yaml",
          "network: [{block: switch, size: 8, bandwidth: 100 GB/s, latency: 500 ns}]\n"
          "device: {is: h100-sxm}\n"
          "collectives: {library: ideal" +
              collectives + "}\n");
    study::Question question;
    question.cluster = (folder_ / "cluster.yaml").string();
    question.network = network;
    question.job.model = "llama-7b";
    question.job.global_batch = "8";
    question.job.sharding = "none";
    return study::simulate(question);
  }

  fs::path folder_;
};

TEST_F(ClusterFiles, RunAllReducesOfJobsByAPlan) {
  write("ring.xml", *synthesis::write_msccl(ring_all_reduce(8)));
  const Plan ring = ring_all_reduce(8);
  Findings findings;
  ASSERT_TRUE(study::write_plan_traces(ring, (folder_ / "traces").string(), false, findings));
  for (const std::string network : {"analytical", "message", "flow"}) {
    SCOPED_TRACE(network);
    const auto by_plan = run(", all_reduce: {custom: ring.xml}", network);
    ASSERT_TRUE(by_plan) << to_string(by_plan.error());
    const auto by_traces = run(", all_reduce: {custom: traces}", network);
    ASSERT_TRUE(by_traces) << to_string(by_traces.error());
    EXPECT_EQ(by_plan->step().count(), by_traces->step().count());
    EXPECT_GT(by_plan->step().count(), 0);
  }
}

TEST_F(ClusterFiles, SayWhatDoesNotFit) {
  write("four.xml", *synthesis::write_msccl(ring_all_reduce(4)));
  const auto other_size = run(", all_reduce: {custom: four.xml}", "");
  ASSERT_FALSE(other_size);
  EXPECT_EQ(other_size.error().code, Errc::config_conflict);
  EXPECT_NE(other_size.error().what.find("is for 4 members, but the group has 8"),
            std::string::npos)
      << other_size.error().what;

  write("ring.xml", *synthesis::write_msccl(ring_all_reduce(8)));
  const auto other_kind = run(", all_gather: {custom: ring.xml}", "");
  ASSERT_FALSE(other_kind);
  EXPECT_EQ(other_kind.error().code, Errc::config_conflict);
  EXPECT_EQ(other_kind.error().what, "is a plan of allreduce, but is set for allgather");

  Plan wrong = ring_all_reduce(8);
  wrong.ranks[3].blocks[0].steps[2].reads[0].first = 0;
  write("wrong.xml", *synthesis::write_msccl(wrong));
  const auto mistake = run(", all_reduce: {custom: wrong.xml}", "");
  ASSERT_FALSE(mistake);
  EXPECT_EQ(mistake.error().code, Errc::input_corrupt);
  EXPECT_NE(mistake.error().where.find("wrong.xml: gpu 3, block 0, step 2"), std::string::npos)
      << mistake.error().where;
}

}  // namespace
}  // namespace orrery
