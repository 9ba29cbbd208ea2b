// SPDX-License-Identifier: Apache-2.0
//
// Collectives whose algorithm is a trace.
#include <gtest/gtest.h>

#include "orrery/sim/sim_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Block;
using platform::Rules;
using testing::line;
using testing::Rank;
using testing::workload;

/// A shift: every position sends `bytes` to the next and computes for 1 us when the message from
/// the previous one is there.
std::vector<graph::GraphRef> shift(int members, std::int64_t bytes) {
  std::vector<graph::GraphRef> graphs;
  for (int position = 0; position < members; ++position) {
    Rank rank;
    rank.send((position + 1) % members, bytes, 3);
    rank.comp(us(1), {rank.recv((position + members - 1) % members, bytes, 3)});
    graphs.push_back(rank.finish());
  }
  return graphs;
}

TEST(Custom, RunsTheTraceInsteadOfAnAlgorithmAndIgnoresTheSize) {
  for (const Rules rules : {Rules::orrery, Rules::astra}) {
    std::vector<Rank> ranks(4);
    for (Rank& rank : ranks) rank.comp(us(5), {rank.coll(CollectiveType::all_reduce, 1 << 30)});
    auto work = workload(ranks);
    work.custom_collectives["algorithms/shift"] = shift(4, 1000);
    auto platform = line(Block::ring, 4);
    platform.rules = rules;
    platform.collectives.splits = 8;  // the reference never ends unless this is 1
    platform.collectives.all_reduce.custom_prefix = "algorithms/shift";
    const auto result = simulate(work, platform);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->end, us(2) + us(1) + us(5));
  }
}

TEST(Custom, PositionsOfAGroupAreItsRanksInAscendingOrder) {
  std::vector<Rank> ranks(4);
  ranks[0].comp(us(1));
  ranks[2].comp(us(1));
  for (const std::size_t member : {1u, 3u})
    ranks[member].coll(CollectiveType::all_reduce, 8, {}, "7");
  auto work = workload(ranks);
  work.groups["7"] = {"7", {3, 1}};
  work.custom_collectives["shift"] = shift(2, 1000);
  auto platform = line(Block::ring, 4);
  platform.rules = Rules::astra;
  platform.collectives.custom_by_node[1] = "shift";  // by node goes before by type
  const auto result = simulate(work, platform);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->ranks[1].finish, us(3) + us(1));  // two hops
  EXPECT_EQ(result->ranks[3].finish, us(3) + us(1));
}

/// Like shift(), of a share of the collective's buffer.
std::vector<graph::GraphRef> shift_of_share(int members, std::uint32_t pieces) {
  std::vector<graph::GraphRef> graphs;
  for (int position = 0; position < members; ++position) {
    graph::GraphBuilder builder("share", std::make_shared<StringPool>(), graph::Repair::refuse);
    for (const bool sends : {true, false}) {
      graph::NodeSpec node;
      node.id = sends ? 1 : 2;
      node.kind = sends ? graph::NodeKind::send : graph::NodeKind::recv;
      node.flags = graph::kHasTag | (sends ? graph::kHasDst : graph::kHasSrc);
      node.message.set_share(1, 2, pieces);
      (sends ? node.message.dst : node.message.src) =
          (position + (sends ? 1 : members - 1)) % members;
      builder.add(node);
    }
    Findings findings;
    graphs.push_back(std::make_shared<const graph::Graph>(*std::move(builder).finish(findings)));
  }
  return graphs;
}

TEST(Custom, SharesAreOfAsMuchAsThereIs) {
  for (const auto& [type, stated] :
       {std::pair{CollectiveType::all_reduce, 8000}, std::pair{CollectiveType::all_gather, 2000}}) {
    std::vector<Rank> ranks(4);
    for (Rank& rank : ranks) rank.coll(type, stated);
    auto work = workload(ranks);
    work.custom_collectives["share"] = shift_of_share(4, 8);
    auto platform = line(Block::ring, 4);
    platform.collectives.custom_by_node[1] = "share";
    const auto result = simulate(work, platform);
    ASSERT_TRUE(result.has_value());
    for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_EQ(result->ranks[rank].sent_bytes, 2000u);
  }
}

TEST(Custom, AGroupOfAnotherSizeIsAnError) {
  std::vector<Rank> ranks(4);
  for (Rank& rank : ranks) rank.coll(CollectiveType::all_reduce, 8);
  auto work = workload(ranks);
  work.custom_collectives["shift"] = shift(8, 1000);
  auto platform = line(Block::ring, 4);
  platform.collectives.all_reduce.custom_prefix = "shift";
  const auto result = simulate(work, platform);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::config_conflict);
  EXPECT_EQ(result.error().what,
            "the custom algorithm \"shift\" is for 8 members, but the group has 4");
}

// Outside a collective there is nothing to have a share of.
TEST(Custom, ASharedMessageOfAWorkloadLacksItsSize) {
  std::vector<Rank> ranks(4);
  auto work = workload(ranks);
  work.graphs = shift_of_share(4, 8);
  work.graph_of_rank = {0, 1, 2, 3};
  const auto result = simulate(work, line(Block::ring, 4));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::input_missing_attr);
}

TEST(Custom, TwoRunsOfOneAlgorithmDoNotTakeEachOthersMessages) {
  std::vector<Rank> ranks(2);
  for (Rank& rank : ranks) {
    const auto first = rank.coll(CollectiveType::all_gather, 8);
    rank.coll(CollectiveType::all_gather, 8, {first});
  }
  auto work = workload(ranks);
  work.custom_collectives["shift"] = shift(2, 1000);
  auto platform = line(Block::ring, 2);
  platform.collectives.all_gather.custom_prefix = "shift";
  const auto result = simulate(work, platform);
  ASSERT_TRUE(result.has_value() && !result->stall);
  EXPECT_EQ(result->end, 2 * us(3));
}

}  // namespace
}  // namespace orrery::sim
