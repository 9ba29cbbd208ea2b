// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/planner/step_streams.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/planner/bench_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/intake/job/job.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct OnStream {
  std::size_t step = 0;
  std::int64_t stream = 0;
  std::int64_t us = 1;
  const char* name = "sgemm";
};

/// relu after relu, and where their kernels ran.
std::pair<profile::Profile, ReplayPlan> relus(int count, const std::vector<OnStream>& kernels) {
  std::vector<NodeLine> nodes;
  for (int i = 0; i < count; ++i) nodes.push_back(relu_node(3 + i, 10 + i, 50 + i, 11 + i, 51 + i));
  profile::Profile recorded = *profile_of(trace_text(nodes));
  ReplayPlan plan = *make_plan(recorded, few_operators(), {});
  for (const OnStream& ran : kernels) {
    profile::Work work;
    work.op = plan.sources.at(plan.steps.at(ran.step).source).event;
    profile::Event kernel;
    kernel.kind = profile::Kind::kernel;
    kernel.name = recorded.strings->intern(ran.name);
    kernel.lane = recorded.lane(true, 0, ran.stream);
    kernel.duration = Time(ran.us * 1'000'000);
    kernel.flags = profile::kTimed;
    kernel.detail = static_cast<std::uint32_t>(recorded.works.size());
    recorded.works.push_back(work);
    recorded.events.push_back(kernel);
  }
  find_step_streams(recorded, plan);
  return {std::move(recorded), std::move(plan)};
}

std::vector<std::uint32_t> streams_of(const ReplayPlan& plan) {
  std::vector<std::uint32_t> streams;
  for (const ReplayStep& step : plan.steps) streams.push_back(step.stream);
  return streams;
}

TEST(BenchRecordedStreams, WithoutADeviceAllAreOne) {
  const auto [recorded, plan] = relus(3, {});
  EXPECT_THAT(streams_of(plan), ElementsAre(0, 0, 0));
  EXPECT_EQ(stream_count(plan), 1u);
  EXPECT_THAT(plan_text(plan), Not(HasSubstr("stream")));
}

TEST(BenchRecordedStreams, AreNumberedAsStepsComeToThem) {
  const auto [recorded, plan] = relus(5, {{0, 20}, {1, 7}, {3, 20}, {4, 24}});
  EXPECT_THAT(streams_of(plan), ElementsAre(0, 1, 1, 0, 2)) << "the third has no kernel";
  EXPECT_EQ(stream_count(plan), 3u);
  const std::string text = plan_text(plan);
  EXPECT_THAT(text, HasSubstr("\nstream 1\n# aten::relu\ncall 0 (%1)"));
  EXPECT_THAT(text, HasSubstr("\nstream 0\n# aten::relu\ncall 0 (%3)"));
}

TEST(BenchRecordedStreams, TheLongestDecidesAndCommunicationDoesNot) {
  const auto [recorded, plan] = relus(
      2, {{0, 7, 3}, {1, 7, 2}, {1, 20, 2}, {1, 20, 1}, {1, 9, 50, "ncclDevKernel_AllReduce_Sum"}});
  EXPECT_THAT(streams_of(plan), ElementsAre(0, 1));
}

TEST(BenchRecordedStreams, AreFew) {
  std::vector<OnStream> kernels;
  for (std::size_t i = 0; i < 40; ++i) kernels.push_back({i, static_cast<std::int64_t>(100 + i)});
  const auto [recorded, plan] = relus(40, kernels);
  EXPECT_EQ(stream_count(plan), kMaxStreams);
  EXPECT_EQ(plan.steps[kMaxStreams].stream, 0u);
}

/// The streams that device work of no communication is on.
std::size_t lanes_with_kernels(const profile::Profile& profile) {
  std::set<std::uint32_t> lanes;
  for (profile::EventId e = 0; e < profile.events.size(); ++e)
    if (profile::is_device_work(profile.events[e].kind) && profile.comm(e) == nullptr &&
        !profile::is_comm_kernel(profile.name(e)))
      lanes.insert(profile.events[e].lane);
  return lanes.size();
}

TEST(BenchRecordedStreams, OfARecordedRank) {
  const std::string folder =
      std::string(core_testing::kSourceFolder) + "/../shared/data/traces/param/";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "no real traces at ../shared/data/traces/param";
  intake::JobOptions job;
  job.traces = {folder + "dlrm_pytorch_et.tar.gz", folder + "dlrm_kineto.tar.gz"};
  Findings findings;
  const auto ranks = intake::find_ranks(job, findings);
  ASSERT_TRUE(ranks) << ranks.error().what;
  const auto rank = intake::read_rank(ranks->front(), std::make_shared<StringPool>());
  ASSERT_TRUE(rank) << rank.error().what;
  // Streams do not ask which operators there are: what cannot be called has some, too.
  const auto plan = make_plan(rank->profile, few_operators(), {});
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_GT(stream_count(*plan), 1u);
  EXPECT_LE(stream_count(*plan), lanes_with_kernels(rank->profile));
}

}  // namespace
}  // namespace orrery::bench
