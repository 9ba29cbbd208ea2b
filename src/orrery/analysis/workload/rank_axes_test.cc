// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/workload/rank_axes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "orrery/graph/builder.h"

namespace orrery::analysis {
namespace {

using Lines = std::vector<std::vector<std::uint32_t>>;

/// Ranks that each do one collective in each of their groups.
graph::Workload grouped(std::uint32_t ranks, const std::vector<Lines>& families) {
  graph::Workload made;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    auto strings = std::make_shared<StringPool>();
    graph::GraphBuilder builder("rank", strings, graph::Repair::refuse);
    std::uint64_t next = 0;
    std::uint32_t number = 0;
    for (const Lines& lines : families) {
      for (const auto& line : lines) {
        const std::string name = "g" + std::to_string(number++);
        made.groups[name] = {name, line};
        if (std::find(line.begin(), line.end(), rank) == line.end()) continue;
        graph::NodeSpec node;
        node.id = next++;
        node.kind = graph::NodeKind::coll;
        node.flags = graph::kHasCommType | graph::kHasCommSize;
        node.collective.size = Bytes(1 << 20);
        node.collective.group = strings->intern(name);
        builder.add(node);
      }
    }
    Findings findings;
    auto graph = std::move(builder).finish(findings);
    EXPECT_TRUE(graph.has_value());
    made.graph_of_rank.push_back(rank);
    made.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
  }
  return made;
}

TEST(RankAxes, GroupsOfOneShapeAreAnAxis) {
  const auto axes = rank_axes(grouped(4, {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}}));
  ASSERT_EQ(axes.size(), 2u);
  EXPECT_EQ(axes[0].lines, (Lines{{0, 1}, {2, 3}}));
  EXPECT_EQ(axes[1].lines, (Lines{{0, 2}, {1, 3}}));
  EXPECT_EQ(axes[0].key, "dp");  // much, and no layers
  EXPECT_EQ(axes[1].key, "dp2");
}

TEST(RankAxes, AGroupThatHoldsOthersIsWhatItHasBesideThem) {
  const auto axes = rank_axes(grouped(8, {{{0, 1}, {2, 3}, {4, 5}, {6, 7}},
                                          {{0, 1, 2, 3}, {4, 5, 6, 7}},
                                          {{0, 1, 2, 3, 4, 5, 6, 7}}}));
  ASSERT_EQ(axes.size(), 3u);
  EXPECT_EQ(axes[1].lines, (Lines{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(axes[2].lines, (Lines{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(RankAxes, WhatNotEveryRankHasIsNone) {
  EXPECT_TRUE(rank_axes(grouped(4, {{{0, 3}}})).empty());
  EXPECT_TRUE(rank_axes(grouped(3, {{{0, 1}, {1, 2}}})).empty());
  const auto axes = rank_axes(grouped(4, {{{0, 3}}, {{0, 1, 2, 3}}}));
  ASSERT_EQ(axes.size(), 1u);
  EXPECT_EQ(axes[0].size(), 4u);
}

}  // namespace
}  // namespace orrery::analysis
