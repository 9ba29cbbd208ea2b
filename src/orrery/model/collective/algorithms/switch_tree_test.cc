// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/algorithms/switch_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <string>

#include "orrery/platform/cluster/cluster.h"

namespace orrery::model {
namespace {

using graph::CollectiveType;
using ::testing::HasSubstr;

platform::Platform cluster(const std::string& text) {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + text, "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *made : platform::Platform{};
}

std::vector<std::uint32_t> ranks(std::uint32_t first, std::uint32_t count, std::uint32_t step = 1) {
  std::vector<std::uint32_t> made(count);
  for (std::uint32_t i = 0; i < count; ++i) made[i] = first + i * step;
  return made;
}

// 2 l alpha + n / B: a byte takes 1 ns, a hop 500 ns.
TEST(SwitchTree, TakesTwoWaysAndItsBytesOnce) {
  SwitchTrees trees(cluster(
      "network: [{block: switch, size: 8, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}}]"));
  const auto tree = trees.of(ranks(0, 8));
  ASSERT_TRUE(tree);
  EXPECT_EQ((*tree)->levels, 1);
  EXPECT_EQ((*tree)->duration({CollectiveType::all_reduce, 1'000'000, {}}),
            1'000'000 + 1'000'000'000);
  // Up whole, down an eighth; up its own, down all.
  EXPECT_EQ((*tree)->duration({CollectiveType::reduce_scatter, 1'000'000, {}}),
            1'000'000 + 1'000'000'000);
  EXPECT_EQ((*tree)->duration({CollectiveType::all_gather, 125'000, {}}),
            1'000'000 + 1'000'000'000);
  EXPECT_EQ((*tree)->duration({CollectiveType::all_reduce, 0, {}}), 1'000'000);
}

TEST(SwitchTree, SummingTakesTimeAndBuffersHoldBack) {
  SwitchTrees trees(
      cluster("network: [{block: switch, size: 4, bandwidth: 1 GB/s, latency: 500 ns,"
              " in_network: {latency: 200 ns, buffer: 600 B}}]"));
  const auto tree = trees.of(ranks(0, 4));
  ASSERT_TRUE(tree);
  // 600 bytes are on their way for 1,200 ns: half of the link's rate.
  EXPECT_EQ((*tree)->duration({CollectiveType::all_reduce, 1'000'000, {}}),
            1'200'000 + 2'000'000'000);
}

// Two dimensions: each group has a switch of its own.
TEST(SwitchTree, OfADimensionIsItsSwitch) {
  SwitchTrees trees(
      cluster("network: [{block: ring, size: 4, bandwidth: 1 GB/s, latency: 500 ns},"
              " {block: switch, size: 3, bandwidth: 2 GB/s, latency: 1 us,"
              "  in_network: {}}]"));
  const auto first = trees.of(ranks(0, 3, 4)), second = trees.of(ranks(1, 3, 4));
  ASSERT_TRUE(first && second);
  EXPECT_NE((*first)->edges[0].parent, (*second)->edges[0].parent);
  EXPECT_EQ((*first)->duration({CollectiveType::all_reduce, 1'000'000, {}}),
            2'000'000 + 500'000'000);
  const auto none = trees.of(ranks(0, 4));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("share no switch that can reduce"));
}

const std::string kTwoTiers =
    "fabric: {hosts: [{count: 16, devices: 1}], network: {kind: fat_tree, per_leaf: 4, radix: 8,"
    " port: {bandwidth: 1 GB/s, latency: 500 ns}, trunk: {bandwidth: 1 GB/s, latency: 300 ns}},"
    " in_network: ";

TEST(SwitchTree, OfAFabricGoesAsHighAsItsMembersAreApart) {
  SwitchTrees trees(cluster(kTwoTiers + "[{switches: \"leaf*\"}, {switches: \"spine*\"}]}"));
  const auto near = trees.of(ranks(0, 4)), far = trees.of(ranks(0, 16));
  ASSERT_TRUE(near && far);
  EXPECT_EQ((*near)->levels, 1);
  EXPECT_EQ((*near)->duration({CollectiveType::all_reduce, 1'000'000, {}}),
            1'000'000 + 1'000'000'000);
  EXPECT_EQ((*far)->levels, 2);
  EXPECT_EQ((*far)->edges.size(), 16 + 4);  // leaves hand on one sum each
  EXPECT_EQ((*far)->duration({CollectiveType::all_reduce, 1'000'000, {}}),
            1'600'000 + 1'000'000'000);
  // What is scattered comes down a leaf's link for its four members, to each its own.
  EXPECT_EQ((*far)->link_bytes({CollectiveType::reduce_scatter, 1600, {}}, (*far)->edges[16]),
            (LinkBytes{1600, 400}));
  EXPECT_EQ((*far)->link_bytes({CollectiveType::reduce_scatter, 1600, {}}, (*far)->edges[3]),
            (LinkBytes{1600, 100}));
  EXPECT_EQ((*far)->link_bytes({CollectiveType::all_gather, 100, {}}, (*far)->edges[16]),
            (LinkBytes{400, 1600}));
}

// Where only spines can, what comes from four members shares the leaf's one way up.
TEST(SwitchTree, CountsWhatCrossesALinkTogether) {
  SwitchTrees trees(cluster(kTwoTiers + "[{switches: spine0}]}"));
  const auto tree = trees.of(ranks(0, 16));
  ASSERT_TRUE(tree);
  EXPECT_EQ((*tree)->levels, 1);
  EXPECT_EQ((*tree)->duration({CollectiveType::all_reduce, 1'000'000, {}}),
            1'600'000 + 4'000'000'000);
}

TEST(SwitchTree, MoreThanASwitchCanSumIsSaid) {
  SwitchTrees trees(cluster(kTwoTiers + "[{switches: \"leaf*\", with: {radix: 3}}]}"));
  EXPECT_TRUE(trees.of(ranks(0, 3)));
  const auto four = trees.of(ranks(0, 4));
  ASSERT_FALSE(four);
  EXPECT_THAT(four.error().what, HasSubstr("would reduce 4 inputs, but supports 3"));
}

// Every choice of experts, counted: which of them leave the members below a link.
TEST(SwitchTree, TokensPassALinkOnceWhereOneOfTheirExpertsIsBeyond) {
  constexpr std::uint32_t kMembers = 4, kExperts = 8;  // two of each member
  for (const int top_k : {1, 3, 8}) {
    for (const std::uint32_t below : {1U, 2U, 3U}) {
      double up = 0, down = 0, choices = 0;
      for (std::uint32_t chosen = 0; chosen < 1U << kExperts; ++chosen) {
        if (std::popcount(chosen) != top_k) continue;
        ++choices;
        const std::uint32_t own = (1U << 2 * below) - 1;
        up += (chosen & ~own) != 0 ? below : 0;
        down += (chosen & own) != 0 ? kMembers - below : 0;
      }
      const double token = 1e9 / top_k;  // bytes of all that a member has
      graph::ExpertExchange tokens{kExperts, 7168, static_cast<std::uint8_t>(top_k)};
      for (const bool combine : {false, true}) {
        tokens.set(graph::ExpertTransport::in_network, combine);
        const LinkBytes bytes =
            link_bytes({CollectiveType::all_to_all, 1'000'000'000, tokens}, kMembers, below);
        EXPECT_NEAR(static_cast<double>(combine ? bytes.down : bytes.up), token * up / choices,
                    1.5);
        EXPECT_NEAR(static_cast<double>(combine ? bytes.up : bytes.down), token * down / choices,
                    1.5);
      }
    }
  }
}

}  // namespace
}  // namespace orrery::model
