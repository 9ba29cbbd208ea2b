// SPDX-License-Identifier: Apache-2.0
//
// Which ranks are alike by where they stand in groups, and which groups are alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/sim/expansion_testing.h"
#include "orrery/sim/shortcuts/folding/folding_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using platform::Rules;
using testing::classes;
using testing::Classes;
using ::testing::ElementsAre;
using testing::folded;
using testing::grid;
using testing::line;
using testing::Rank;

graph::Workload all_reduce(std::uint32_t ranks, const std::string& group = "") {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 1'000, {rank.comp(us(1))}, group);
  return testing::replicated(rank, ranks);
}

// The communicator that stands for the one of this name.
std::uint32_t like(const graph::Workload& workload, const platform::Platform& platform,
                   const std::string& name) {
  Communicators communicators;
  EXPECT_TRUE(communicators.make(workload, platform.rules));
  const Folding folding = folded(workload, platform);
  return folding.representative_group[communicators.find(name, 0)];
}

TEST(FoldingGroups, OnAnAxisAreAlike) {
  graph::Workload workload = all_reduce(16, "rows");
  workload.axes["rows"] = {"rows", {{1, 4}}};
  const Folding folding = folded(workload, grid(4, 4));
  EXPECT_EQ(folding.class_of, Classes(16, 0));
  EXPECT_THAT(folding.representative_group, ElementsAre(0, 1, 1, 1, 1));  // all ranks; the rows
}

TEST(FoldingGroups, ASlowRankIsFeltInItsOwnOnly) {
  graph::Workload workload = all_reduce(16, "rows");
  workload.axes["rows"] = {"rows", {{1, 4}}};
  platform::Platform platform = grid(4, 4);
  testing::slow_down(platform, {9});
  const Folding folding = folded(workload, platform);
  EXPECT_THAT(folding.class_of, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0));
  EXPECT_THAT(folding.members, ElementsAre(12, 1, 1, 1, 1));
  EXPECT_THAT(folding.representative_group, ElementsAre(0, 1, 1, 3, 1));
}

TEST(FoldingGroups, DistanceFromASlowRankIsFeltByEveryAlgorithm) {
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::direct, Algorithm::halving_doubling}) {
    platform::Platform platform = line(Block::switched, 8, algorithm);
    EXPECT_EQ(classes(all_reduce(8), platform), Classes(8, 0));
    testing::slow_down(platform, {0, 4});
    EXPECT_THAT(classes(all_reduce(8), platform), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
    platform.deviations[0].ranks = {0, 1};
    // Partners at 1, 2 and 4: 0 and 1 are partners of each other, then of 2 and 3, then of 4 and 5.
    const bool pairs = algorithm == Algorithm::halving_doubling;
    EXPECT_THAT(classes(all_reduce(8), platform),
                pairs ? ElementsAre(0, 0, 1, 1, 2, 2, 3, 3) : ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  }
}

TEST(FoldingGroups, EveryPlaceInADoubleTreeIsItsOwn) {
  const platform::Platform platform = grid(4, 2, Block::switched, Algorithm::double_binary_tree);
  EXPECT_THAT(classes(all_reduce(8), platform), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  graph::Workload rows = all_reduce(8, "rows");
  rows.axes["rows"] = {"rows", {{1, 4}}};
  EXPECT_THAT(classes(rows, platform), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

TEST(FoldingGroups, NamesDoNotCount) {
  std::vector<Rank> ranks(8);
  for (std::uint32_t r = 0; r < 8; ++r)
    ranks[r].coll(CollectiveType::all_gather, 1'000, {}, r < 4 ? "left" : "right");
  graph::Workload workload = testing::workload(ranks);
  workload.groups["left"] = {"left", {0, 1, 2, 3}};
  workload.groups["right"] = {"right", {4, 5, 6, 7}};
  const Folding folding = folded(workload, grid(4, 2));
  EXPECT_EQ(folding.class_of, Classes(8, 0));
  EXPECT_THAT(folding.representative_group, ElementsAre(0, 1, 1));
}

TEST(FoldingGroups, SizesCount) {
  std::vector<Rank> ranks(6);
  for (std::uint32_t r = 0; r < 6; ++r)
    ranks[r].coll(CollectiveType::all_gather, 1'000, {}, r < 2 ? "two" : "four");
  graph::Workload workload = testing::workload(ranks);
  workload.groups["two"] = {"two", {0, 1}};
  workload.groups["four"] = {"four", {2, 3, 4, 5}};
  EXPECT_THAT(classes(workload, line(Block::switched, 6)), ElementsAre(0, 0, 1, 1, 1, 1));
}

// Members that are no whole dimension of a ring: how far they are apart counts.
TEST(FoldingGroups, DistancesCountWhereAGroupIsNoDimension) {
  const auto with = [&](std::vector<std::uint32_t> a, std::vector<std::uint32_t> b) {
    std::vector<Rank> made(8);
    for (const std::uint32_t r : a) made[r].coll(CollectiveType::all_reduce, 1'000, {}, "a");
    for (const std::uint32_t r : b) made[r].coll(CollectiveType::all_reduce, 1'000, {}, "b");
    graph::Workload workload = testing::workload(made);
    workload.groups["a"] = {"a", a};
    workload.groups["b"] = {"b", b};
    return workload;
  };
  const platform::Platform ring = line(Block::ring, 8);
  EXPECT_EQ(classes(with({0, 2, 4, 6}, {1, 3, 5, 7}), ring), Classes(8, 0));
  EXPECT_THAT(classes(with({0, 1, 4, 5}, {2, 3, 6, 7}), ring), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(classes(with({0, 1, 4, 5}, {2, 3, 6, 7}), line(Block::switched, 8)),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  // Not a grid: a ring through both dimensions.
  EXPECT_THAT(classes(with({0, 1, 4}, {2, 3, 7}), grid(4, 2, Block::switched)),
              ElementsAre(0, 1, 2, 3, 4, 5, 5, 6));
}

TEST(FoldingGroups, OneDirectRingOverTwoDimensionsIsMeasured) {
  platform::Platform platform = grid(2, 4, Block::switched);
  platform.collectives.all_reduce.per_dim = {{Algorithm::direct, -1, true}};
  // From 0, ranks at distances 1, 2, 3 … cross one, the other, both; from 1 both, the other …
  EXPECT_THAT(classes(all_reduce(8), platform), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  platform = grid(2, 550, Block::switched);
  platform.collectives.all_reduce.per_dim = {{Algorithm::direct, -1, true}};
  EXPECT_EQ(folded(all_reduce(1100), platform).classes(), 1100u);  // not worth it
}

TEST(FoldingGroups, OnlyDimensionsThatTakePartCount) {
  const auto masked = [](std::uint32_t mask) {
    graph::GraphBuilder builder("test", std::make_shared<StringPool>(), graph::Repair::refuse);
    graph::NodeSpec coll;
    coll.kind = graph::NodeKind::coll;
    coll.flags = graph::kHasCommType | graph::kHasCommSize | graph::kHasDims;
    coll.collective.size = Bytes(1'000);
    coll.collective.dims_mask = mask;
    builder.add(coll);
    Findings findings;
    graph::Workload made;
    made.graphs = {std::make_shared<const graph::Graph>(*std::move(builder).finish(findings))};
    made.graph_of_rank.assign(8, 0);
    return made;
  };
  platform::Platform platform = grid(4, 2);
  testing::slow_down(platform, {0});
  EXPECT_THAT(classes(masked(2), platform), ElementsAre(0, 1, 1, 1, 2, 1, 1, 1));
  EXPECT_THAT(classes(masked(1), platform), ElementsAre(0, 1, 2, 3, 4, 4, 4, 4));
}

// Megatron names the same ranks twice; their collectives are apart.
TEST(FoldingGroups, OfTheSameMembersUnderTwoNamesAreNotOne) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 1'000, {}, "dp");
  rank.coll(CollectiveType::all_reduce, 1'000, {}, "dp-cp");
  graph::Workload workload = testing::replicated(rank, 8);
  workload.axes["dp"] = {"dp", {{1, 4}}};
  workload.axes["dp-cp"] = {"dp-cp", {{1, 4}}};
  const Folding folding = folded(workload, grid(4, 2));
  EXPECT_EQ(folding.class_of, Classes(8, 0));
  EXPECT_THAT(folding.representative_group, ElementsAre(0, 1, 1, 3, 3));
}

// They would wait for each other for ever, although both do the same in like groups.
TEST(FoldingGroups, RanksThatCallOneGroupByTwoNamesAreNotAlike) {
  std::vector<Rank> ranks(2);
  ranks[0].coll(CollectiveType::all_reduce, 1'000, {}, "a");
  ranks[1].coll(CollectiveType::all_reduce, 1'000, {}, "b");
  graph::Workload workload = testing::workload(ranks);
  for (const char* name : {"a", "b"}) workload.groups[name] = {name, {0, 1}};
  EXPECT_THAT(classes(workload, line(Block::ring, 2)), ElementsAre(0, 1));
  std::vector<Rank> crossed(2);
  for (const char* name : {"a", "b"}) crossed[0].coll(CollectiveType::all_reduce, 1'000, {}, name);
  for (const char* name : {"b", "a"}) crossed[1].coll(CollectiveType::all_reduce, 1'000, {}, name);
  workload.graphs = testing::workload(crossed).graphs;
  EXPECT_THAT(classes(workload, line(Block::ring, 2)), ElementsAre(0, 1));
}

// Each rank shares a group with the next and one with the one before: alike all around, but no
// group may stand for another in which the same rank is.
TEST(FoldingGroups, ThatOneRankIsInAreNeverOne) {
  std::vector<Rank> ranks(6);
  const auto name = [](std::uint32_t r) { return "from " + std::to_string(r % 6); };
  for (std::uint32_t r = 0; r < 6; ++r) {
    ranks[r].coll(CollectiveType::all_reduce, 1'000, {}, name(r));
    ranks[r].coll(CollectiveType::all_reduce, 1'000, {}, name(r + 5));
  }
  graph::Workload workload = testing::workload(ranks);
  for (std::uint32_t r = 0; r < 6; ++r)
    workload.groups[name(r)] = {name(r), {std::min(r, (r + 1) % 6), std::max(r, (r + 1) % 6)}};
  const platform::Platform platform = line(Block::switched, 6);
  for (std::uint32_t r = 0; r < 6; ++r)
    EXPECT_NE(like(workload, platform, name(r)), like(workload, platform, name(r + 5))) << r;
}

TEST(FoldingGroups, MembersThatNeverUseItCount) {
  std::vector<Rank> ranks(8);
  for (std::uint32_t r = 0; r < 8; ++r) {
    ranks[r].comp(us(1));
    if (r != 5) ranks[r].coll(CollectiveType::all_reduce, 1'000, {1}, "rows");
  }
  graph::Workload workload = testing::workload(ranks);
  workload.axes["rows"] = {"rows", {{1, 4}}};
  EXPECT_THAT(classes(workload, grid(4, 2)), ElementsAre(0, 0, 0, 0, 1, 2, 3, 4));
}

TEST(FoldingGroups, AxesAndListsFoldAlike) {
  Rank rank;
  for (const char* name : {"rows", "columns", ""}) {
    rank.coll(CollectiveType::all_reduce, 1'000, {}, name);
    rank.coll(CollectiveType::all_to_all, 1'000, {}, name);
  }
  rank.send(4, 100, 0, {}, true);
  graph::Workload workload = testing::replicated(rank, 16);
  workload.axes["rows"] = {"rows", {{1, 4}}};
  workload.axes["columns"] = {"columns", {{4, 4}}};
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct}) {
    for (const Rules rules : {Rules::orrery, Rules::astra}) {
      platform::Platform platform = grid(4, 4, Block::ring, algorithm);
      platform.rules = rules;
      const Folding axes = folded(workload, platform);
      const Folding lists = folded(testing::expanded(workload), platform);
      EXPECT_EQ(axes.class_of, lists.class_of);
      EXPECT_LT(axes.classes(), 16u);
    }
  }
}

TEST(FoldingGroups, MembersOfACustomCollectiveAreTheirOwn) {
  platform::Platform platform = grid(4, 2);
  platform.collectives.all_reduce.custom_prefix = "somewhere/ring";
  graph::Workload workload = all_reduce(8, "first");
  workload.graph_of_rank = {0, 0, 0, 0, 1, 1, 1, 1};
  Rank idle;
  idle.comp(us(1));
  workload.graphs.push_back(idle.finish());
  workload.groups["first"] = {"first", {0, 1, 2, 3}};
  EXPECT_THAT(classes(workload, platform), ElementsAre(0, 1, 2, 3, 4, 4, 4, 4));
}

TEST(FoldingGroups, AstraRingsInTheListedOrder) {
  platform::Platform platform = line(Block::ring, 8);
  platform.rules = Rules::astra;
  graph::Workload workload = all_reduce(8, "one");
  std::vector<std::uint32_t> order = {0, 2, 1, 3};
  workload.groups["one"] = {"one", order};
  for (std::uint32_t& rank : order) rank += 4;
  workload.groups["two"] = {"two", order};
  std::vector<Rank> ranks(8);
  for (std::uint32_t r = 0; r < 8; ++r)
    ranks[r].coll(CollectiveType::all_reduce, 1'000, {}, r < 4 ? "one" : "two");
  workload.graphs = testing::workload(ranks).graphs;
  workload.graph_of_rank = {0, 1, 2, 3, 4, 5, 6, 7};
  // Around the ring 0 2 1 3: 2, 1, 2 and 3 hops.
  EXPECT_THAT(classes(workload, platform), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

}  // namespace
}  // namespace orrery::sim
