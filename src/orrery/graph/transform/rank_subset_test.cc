// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/rank_subset.h"

#include <gtest/gtest.h>

#include <string>

#include "orrery/graph/rank_chains_testing.h"

namespace orrery::graph {
namespace {

Result<RankSubsetResult> fewer(const Workload& workload, RankSubset asked) {
  Findings findings;
  return select_ranks(workload, asked, findings);
}

/// A pipeline of so many stages, and one microbatch.
Workload pipeline(std::uint32_t stages) {
  return RankChains::workload(stages, [&](std::uint32_t rank, RankChains& chain) {
    if (rank > 0) chain.message(NodeKind::recv, rank, rank - 1);
    chain.work("forward");
    if (rank + 1 < stages) {
      chain.message(NodeKind::send, rank, rank + 1);
      chain.message(NodeKind::recv, rank, rank + 1);
    }
    chain.work("backward");
    if (rank > 0) chain.message(NodeKind::send, rank, rank - 1);
  });
}

TEST(RankSubset, MessagesGoToTheNextThatStays) {
  const auto made = fewer(pipeline(4), {{0, 2, 3}, {{0, 1, 2, 3}}});
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  const Graph& first = made->workload.graph(0);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first.point_to_point(1).dst, 1);
  EXPECT_EQ(first.point_to_point(2).src, 1);
  const Graph& second = made->workload.graph(1);
  EXPECT_EQ(second.point_to_point(0).src, 0);
  EXPECT_EQ(second.point_to_point(5).dst, 0);
  // Forward and backward do not mix.
  EXPECT_NE(first.point_to_point(1).tag, first.point_to_point(2).tag);
  EXPECT_EQ(first.point_to_point(1).tag, second.point_to_point(0).tag);
  EXPECT_EQ(made->dropped.messages, 0u);
}

TEST(RankSubset, ARingGoesRound) {
  const auto ring = RankChains::workload(4, [](std::uint32_t rank, RankChains& chain) {
    for (int i = 0; i < 3; ++i) {
      chain.message(NodeKind::send, rank, (rank + 1) % 4);
      chain.message(NodeKind::recv, rank, (rank + 3) % 4);
      chain.work("part");
    }
  });
  const auto two = fewer(ring, {{0, 2}, {{0, 1, 2, 3}}});
  ASSERT_TRUE(two.has_value()) << to_string(two.error());
  EXPECT_EQ(two->workload.graph(1).point_to_point(0).dst, 0);
  EXPECT_EQ(two->workload.graph(1).point_to_point(1).src, 0);
  const auto one = fewer(ring, {{1}, {{0, 1, 2, 3}}});
  ASSERT_TRUE(one.has_value()) << to_string(one.error());
  EXPECT_EQ(one->dropped.messages, 6u);
  ASSERT_EQ(one->workload.graph(0).size(), 3u);
  // A node that waited for messages waits for what they waited for, as long as on the way.
  EXPECT_EQ(one->workload.graph(0).edge_count(), 2u);
  EXPECT_EQ(one->workload.graph(0).lags(0)[0], Time(30));
}

TEST(RankSubset, GroupsHaveTheirMembersThatStay) {
  auto all = RankChains::workload(4, [](std::uint32_t rank, RankChains& chain) {
    chain.collective(CollectiveType::all_gather, rank < 2 ? "low" : "high", 64);
    chain.work("part");
    chain.collective(CollectiveType::all_reduce, "", 64);
  });
  all.groups["low"] = {"low", {0, 1}};
  all.groups["high"] = {"high", {3, 2}};
  const auto made = fewer(all, {{0, 2, 3}, {}});
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  EXPECT_EQ(made->dropped.collectives, 1u);
  EXPECT_EQ(made->workload.graph(0).size(), 2u);
  EXPECT_FALSE(made->workload.groups.contains("low"));
  EXPECT_EQ(made->workload.groups.at("high").ranks, (std::vector<std::uint32_t>{2, 1}));
}

TEST(RankSubset, SizesFollowWhatIsKept) {
  const auto all = RankChains::workload(8, [](std::uint32_t, RankChains& chain) {
    chain.collective(CollectiveType::all_gather, "", 64);
    chain.collective(CollectiveType::all_reduce, "", 64);
  });
  const auto sizes = [&](CollectiveScaling retained) {
    const auto made = fewer(all, {{0, 4}, {}, retained});
    EXPECT_TRUE(made.has_value());
    const Graph& graph = made->workload.graph(0);
    return std::pair(graph.collective(0).size.count(), graph.collective(1).size.count());
  };
  EXPECT_EQ(sizes(CollectiveScaling::stated), (std::pair<std::int64_t, std::int64_t>(64, 64)));
  EXPECT_EQ(sizes(CollectiveScaling::buffers), (std::pair<std::int64_t, std::int64_t>(256, 64)));
  // 7 shards sent then, 1 now; 7/8 of the buffer then, 1/2 now
  EXPECT_EQ(sizes(CollectiveScaling::volume), (std::pair<std::int64_t, std::int64_t>(448, 112)));
}

// Groups by axis are numbered ones from then on.
TEST(RankSubset, AxesBecomeGroups) {
  auto all = RankChains::workload(4, [](std::uint32_t, RankChains& chain) {
    chain.collective(CollectiveType::all_reduce, "dp", 64);
  });
  all.axes["dp"] = {"dp", {{2, 2, 1}}};
  const auto made = fewer(all, {{0, 1, 2, 3}, {}});
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  EXPECT_TRUE(made->workload.axes.empty());
  const Graph& second = made->workload.graph(1);
  const std::string group(second.string(second.collective(0).group));
  EXPECT_EQ(made->workload.groups.at(group).ranks, (std::vector<std::uint32_t>{1, 3}));
}

TEST(RankSubset, WhatNobodyReceivesIsRefused) {
  EXPECT_EQ(fewer(pipeline(4), {{0, 2, 3}, {}}).error().code, Errc::input_unsupported);
  EXPECT_EQ(fewer(pipeline(2), {{}, {}}).error().code, Errc::usage);
  EXPECT_EQ(fewer(pipeline(2), {{0, 2}, {}}).error().code, Errc::usage);
  // Not to its neighbor
  const auto far = RankChains::workload(4, [](std::uint32_t rank, RankChains& chain) {
    if (rank == 0) chain.message(NodeKind::send, 0, 2);
    if (rank == 2) chain.message(NodeKind::recv, 2, 0);
  });
  EXPECT_EQ(fewer(far, {{0, 3}, {{0, 1, 2, 3}}}).error().code, Errc::input_unsupported);
  // The second stage hands on one of two messages
  const auto odd = RankChains::workload(3, [](std::uint32_t rank, RankChains& chain) {
    if (rank == 1) chain.message(NodeKind::recv, 1, 0);
    if (rank < 2) chain.message(NodeKind::send, rank, rank + 1);
    if (rank == 0) chain.message(NodeKind::send, 0, 1);
    if (rank == 1) chain.message(NodeKind::recv, 1, 0);
    if (rank == 2) chain.message(NodeKind::recv, 2, 1);
  });
  EXPECT_EQ(fewer(odd, {{0, 2}, {{0, 1, 2}}}).error().code, Errc::input_mismatch);
}

}  // namespace
}  // namespace orrery::graph
