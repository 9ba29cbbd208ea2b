// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/kernel_deviations.h"

#include <gtest/gtest.h>

#include "orrery/graph/builder.h"
#include "orrery/sim/simulate.h"

namespace orrery::study {
namespace {

using platform::Platform;

Platform four_ranks() {
  Platform platform;
  platform.dims = {{platform::Block::switched, 4, Bandwidth(1e11), 500.0}};
  return platform;
}

/// A host's step, two kernels on streams of their own and one after both, on each of four ranks.
graph::Workload recorded(std::int64_t gemm, std::int64_t flash, bool device = true) {
  graph::GraphBuilder builder("w", std::make_shared<StringPool>(), graph::Repair::refuse);
  const auto add = [&](std::uint64_t id, const char* name, std::int64_t length, bool host,
                       std::vector<std::uint64_t> deps) {
    graph::NodeSpec node;
    node.id = id;
    node.kind = graph::NodeKind::comp;
    node.name = builder.strings().intern(name);
    node.duration = us(length);
    node.deps = std::move(deps);
    node.lane = graph::Lane{.id = static_cast<std::int64_t>(id), .host = host || !device};
    if (host || !device) node.flags = graph::kIsCpu;
    builder.add(node);
  };
  add(1, "aten::gemm", 10, true, {});
  add(2, "sm90_gemm_128", gemm, false, {1});
  add(3, "flash_fwd_gemm", flash, false, {1});
  add(4, "add", 5, false, {2, 3});
  Findings findings;
  graph::Workload made;
  made.graphs = {std::make_shared<const graph::Graph>(*std::move(builder).finish(findings))};
  made.graph_of_rank = {0, 0, 0, 0};
  return made;
}

std::vector<Time> ends(const graph::Workload& workload, const Platform& platform, bool fold) {
  sim::Options options;
  options.fold = fold;
  const auto result = sim::simulate(workload, platform, options);
  EXPECT_TRUE(result.has_value()) << (result ? "" : to_string(result.error()));
  std::vector<Time> all;
  for (const sim::RankResult& rank : result->ranks) all.push_back(rank.finish.value_or(Time{}));
  return all;
}

TEST(KernelTimes, AreOfTheirRanksOnly) {
  const graph::Workload workload = recorded(100, 300);
  Platform platform = four_ranks();
  platform.deviations = {{.ranks = {1, 2}, .kernels = {{"flash", 0.5}, {"gemm", 3}}},
                         {.ranks = {3}, .compute_time = 2, .kernels = {{"add", 2}}}};
  Findings findings;
  const graph::Workload changed = with_kernel_deviations(workload, platform, findings);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(changed.graphs.size(), 3u);
  for (const bool fold : {true, false}) {
    EXPECT_EQ(ends(changed, platform, fold),
              (std::vector<Time>{us(315), us(10 + 300 + 5), us(10 + 300 + 5), us(10 + 600 + 20)}));
  }
  EXPECT_EQ(changed.graph_of_rank, (std::vector<std::uint32_t>{0, 1, 1, 2}));
  EXPECT_EQ(changed.graph(1).duration(1), us(300));
  EXPECT_EQ(changed.graph(1).duration(2), us(150));  // the first that fits
  EXPECT_EQ(changed.graph(1).duration(0), us(10));   // a host's, next to a device
  EXPECT_EQ(changed.graph(0).duration(2), us(300));
}

TEST(KernelTimes, WithoutADeviceAreTheHosts) {
  Platform platform = four_ranks();
  platform.deviations = {{.ranks = {0}, .kernels = {{"gemm", 2}}}};
  Findings findings;
  const graph::Workload changed =
      with_kernel_deviations(recorded(100, 300, false), platform, findings);
  EXPECT_EQ(changed.graph(0).duration(0), us(20));
  EXPECT_EQ(changed.graph(0).duration(1), us(200));
  EXPECT_EQ(changed.graph(0).duration(3), us(5));
}

// What stands for time in which nothing is done has names, too.
TEST(KernelTimes, WaitsStay) {
  graph::GraphBuilder builder("w", std::make_shared<StringPool>(), graph::Repair::refuse);
  for (std::uint64_t id = 1; id <= 2; ++id) {
    graph::NodeSpec node;
    node.id = id;
    node.kind = graph::NodeKind::comp;
    node.flags = graph::kIsCpu;
    if (id == 1) node.flags |= graph::kIsWait;
    node.name = builder.strings().intern(id == 1 ? "[recorded pause]" : "record_param_comms");
    node.duration = us(40);
    builder.add(node);
  }
  Findings findings;
  graph::Workload workload;
  workload.graphs = {std::make_shared<const graph::Graph>(*std::move(builder).finish(findings))};
  workload.graph_of_rank = {0, 0, 0, 0};
  Platform platform = four_ranks();
  platform.deviations = {{.ranks = {2}, .kernels = {{"record", 0.5}}}};
  const graph::Workload changed = with_kernel_deviations(workload, platform, findings);
  EXPECT_EQ(changed.graph(2).duration(0), us(40));
  EXPECT_EQ(changed.graph(2).duration(1), us(20));
}

TEST(KernelTimes, OfNamesThatNobodyHasAreAFinding) {
  Platform platform = four_ranks();
  EXPECT_FALSE(has_kernel_deviations(platform));
  platform.deviations = {{.ranks = {0, 9}, .kernels = {{"conv", 2}, {"add", 1}}}};
  EXPECT_TRUE(has_kernel_deviations(platform));
  Findings findings;
  const graph::Workload workload = recorded(100, 300);
  const graph::Workload same = with_kernel_deviations(workload, platform, findings);
  EXPECT_EQ(findings.count(FindingCode::key_without_effect), 1u);
  EXPECT_EQ(ends(same, platform, true), ends(workload, platform, true));
}

TEST(KernelTimes, AreRoundedUpToTheClockOfTheRules) {
  Platform platform = four_ranks();
  platform.deviations = {{.ranks = {0}, .kernels = {{"add", 0.33333}}}};
  Findings findings;
  EXPECT_EQ(with_kernel_deviations(recorded(1, 1), platform, findings).graph(0).duration(3),
            Time(1'666'650));
  platform.rules = platform::Rules::astra;
  EXPECT_EQ(with_kernel_deviations(recorded(1, 1), platform, findings).graph(0).duration(3),
            Time(1'667'000));
}

}  // namespace
}  // namespace orrery::study
