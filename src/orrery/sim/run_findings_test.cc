// SPDX-License-Identifier: Apache-2.0
//
// What is odd about a run is counted, and named in the result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using platform::Rules;
using testing::line;
using testing::Rank;
using testing::replicated;
using testing::workload;

Findings findings_of(const graph::Workload& workload, const platform::Platform& platform) {
  const auto result = simulate(workload, platform);
  EXPECT_TRUE(result) << to_string(result.error());
  if (!result) return {};
  EXPECT_FALSE(result->stall);
  return result->findings;
}

/// Two dimensions of two.
platform::Platform square() {
  platform::Platform made = line(Block::ring, 2);
  made.dims.push_back(made.dims.front());
  auto& config = made.collectives;
  for (auto* plan :
       {&config.all_reduce, &config.all_gather, &config.reduce_scatter, &config.all_to_all}) {
    plan->per_dim.push_back(plan->per_dim.front());
  }
  return made;
}

platform::Platform under_astra_rules(platform::Platform made) {
  made.rules = Rules::astra;
  return made;
}

TEST(Findings, MessagesThatNobodyReceives) {
  std::vector<Rank> ranks(2);
  ranks[0].send(1, 64, 7);
  ranks[0].send(1, 64, 7);
  ranks[1].recv(0, 64, 7);
  ranks[1].send(0, 5);
  const Findings findings = findings_of(workload(ranks), line(Block::ring, 2));
  EXPECT_EQ(findings.count(FindingCode::unmatched_send), 2u);
  ASSERT_EQ(findings.list().size(), 1u);
  EXPECT_THAT(findings.list()[0].places,
              ::testing::ElementsAre("rank 0 to rank 1, 64 bytes, tag 7",
                                     "rank 1 to rank 0, 5 bytes, tag 0"));
}

TEST(Findings, MatchedMessagesAreNotOdd) {
  std::vector<Rank> ranks(2);
  ranks[0].send(1, 64);
  ranks[1].recv(0, 64);
  EXPECT_TRUE(findings_of(workload(ranks), line(Block::ring, 2)).empty());
}

TEST(Findings, MessagesThatCrossTwoDimensionsUnderAstraRules) {
  for (const Rules rules : {Rules::astra, Rules::orrery}) {
    std::vector<Rank> ranks(4);
    ranks[0].send(3, 64);
    ranks[3].recv(0, 64);
    ranks[1].send(0, 64);
    ranks[0].recv(1, 64);
    ranks[2].recv(0, 64);
    ranks[0].send(2, 64);
    platform::Platform platform = square();
    platform.rules = rules;
    EXPECT_EQ(findings_of(workload(ranks), platform).count(FindingCode::dims_not_crossed),
              rules == Rules::astra ? 1u : 0u);
  }
}

TEST(Findings, SubGroupsOfSeveralDimensionsUnderAstraRules) {
  std::vector<Rank> ranks(4);
  for (const int member : {0, 1, 2})
    ranks[static_cast<std::size_t>(member)].coll(CollectiveType::all_reduce, 3000, {}, "5");
  ranks[3].metadata();
  graph::Workload three = workload(ranks);
  three.groups["5"] = {"5", {0, 1, 2}};
  EXPECT_EQ(
      findings_of(three, under_astra_rules(square())).count(FindingCode::group_falls_back_to_ring),
      3u);
}

TEST(Findings, CollectivesWithoutADimension) {
  std::vector<Rank> ranks(2);
  graph::NodeSpec node;
  node.id = 1;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize | graph::kHasDims;
  node.collective.type = CollectiveType::all_reduce;
  node.collective.size = Bytes(1024);
  node.collective.dims_mask = 2;  // there is only dimension 0
  node.collective.dims_count = 2;
  graph::GraphBuilder builder("test", std::make_shared<StringPool>(), graph::Repair::refuse);
  builder.add(node);
  Findings none;
  graph::Workload made;
  made.graphs = {std::make_shared<const graph::Graph>(*std::move(builder).finish(none))};
  made.graph_of_rank = {0, 0};
  EXPECT_EQ(findings_of(made, line(Block::ring, 2)).count(FindingCode::masked_collective), 2u);
}

TEST(Findings, ComputeWithoutADuration) {
  Rank rank;
  rank.comp(Time(0));
  const Findings findings =
      findings_of(replicated(rank, 2), under_astra_rules(line(Block::ring, 2)));
  EXPECT_EQ(findings.count(FindingCode::zero_duration_compute), 2u);
}

TEST(Findings, CollectivesTheModelHasNoAlgorithmFor) {
  Rank barrier;
  barrier.coll(CollectiveType::barrier, 0);
  EXPECT_EQ(findings_of(replicated(barrier, 2), line(Block::ring, 2))
                .count(FindingCode::collective_approximated),
            2u);
  Rank broadcast;
  broadcast.coll(CollectiveType::broadcast, 64);
  const Findings findings =
      findings_of(replicated(broadcast, 2), under_astra_rules(line(Block::ring, 2)));
  EXPECT_EQ(findings.count(FindingCode::collective_without_traffic), 2u);
}

TEST(Findings, CollectivesSmallerThanTheirNumberOfRanks) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 3);
  EXPECT_EQ(findings_of(replicated(rank, 4), under_astra_rules(line(Block::ring, 4)))
                .count(FindingCode::missing_chunk_raised),
            4u);
}

}  // namespace
}  // namespace orrery::sim
