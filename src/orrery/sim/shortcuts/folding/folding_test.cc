// SPDX-License-Identifier: Apache-2.0
//
// Which ranks are alike by what they do and whom they send to.
#include "orrery/sim/shortcuts/folding/folding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/sim/shortcuts/folding/folding_testing.h"
#include "orrery/sim/shortcuts/folding/graph_shapes.h"

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
using ::testing::HasSubstr;
using testing::line;
using testing::Rank;

// Rank r sends to the next and receives from the one before, around a ring, all by number.
std::vector<Rank> ring_of_messages(std::int32_t ranks) {
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  for (std::int32_t r = 0; r < ranks; ++r) {
    all[r].send((r + 1) % ranks, 1'000);
    all[r].recv((r + ranks - 1) % ranks, 1'000);
  }
  return all;
}

TEST(Folding, RanksThatDoTheSameInOneGroupAreOneClass) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 1'000, {rank.comp(us(1))});
  const Folding folding = folded(testing::replicated(rank, 8), line(Block::ring, 8));
  EXPECT_EQ(folding.class_of, Classes(8, 0));
  EXPECT_THAT(folding.representative, ElementsAre(0));
  EXPECT_THAT(folding.members, ElementsAre(8));
  EXPECT_THAT(folding.representative_group, ElementsAre(0));
  EXPECT_EQ(folding.why_not, "");
}

TEST(Folding, ARingOfMessagesByNumberIsOneClass) {
  auto ranks = ring_of_messages(6);
  EXPECT_EQ(classes(testing::workload(ranks), line(Block::ring, 6)), Classes(6, 0));
}

TEST(Folding, GraphsDifferInDurations) {
  const auto durations = [](std::initializer_list<int> all) {
    std::vector<Rank> ranks(all.size());
    std::size_t r = 0;
    for (const int duration : all) ranks[r++].comp(us(duration));
    return testing::workload(ranks);
  };
  const graph::Workload different = durations({1, 2, 3});
  EXPECT_TRUE(GraphShapes::differ(different));
  EXPECT_EQ(classes(different, line(Block::ring, 3)), (Classes{0, 1, 2}));
  EXPECT_FALSE(GraphShapes::differ(durations({1, 2, 1})));
  Rank rank;
  rank.comp(us(1));
  EXPECT_FALSE(GraphShapes::differ(testing::replicated(rank, 3)));
}

TEST(Folding, ARankMayNameItselfAsTheSender) {
  std::vector<Rank> ranks(4);
  for (std::int32_t r = 0; r < 4; ++r) {
    ranks[r].send(r ^ 1, 1'000, 0, {}, false, r);
    ranks[r].recv(r ^ 1, 1'000);
  }
  EXPECT_EQ(classes(testing::workload(ranks), line(Block::ring, 4)), Classes(4, 0));
}

// Stage by stage the ends are farther away.
TEST(Folding, StagesOfAPipelineDifferByTheirDistanceFromTheEnds) {
  Rank first, middle, last;
  first.send(2, 1'000, 0, {}, true);
  middle.send(2, 1'000, 0, {middle.recv(-2, 1'000, 0, {}, true)}, true);
  last.recv(-2, 1'000, 0, {}, true);
  graph::Workload workload;
  workload.graphs = {first.finish(), middle.finish(), last.finish()};
  workload.graph_of_rank = {0, 0, 1, 1, 1, 1, 2, 2};
  const Folding folding = folded(workload, grid(2, 4, Block::switched));
  EXPECT_THAT(folding.class_of, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(folding.representative, ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(folding.members, ElementsAre(2, 2, 2, 2));
}

TEST(Folding, HowFarAMessageGoesCounts) {
  auto ranks = ring_of_messages(8);
  const graph::Workload workload = testing::workload(ranks);
  platform::Platform rows = grid(4, 2);
  EXPECT_THAT(classes(workload, rows), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  rows.rules = Rules::astra;  // charges the inner dimension only, but counts who crosses both
  EXPECT_THAT(classes(workload, rows), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

// Two hops there are as far as one hop of a next dimension only by number.
TEST(Folding, ASwitchOfTwoIsNotTheNextDimension) {
  std::vector<Rank> ranks(8);
  ranks[0].send(1, 1'000);
  ranks[1].recv(0, 1'000);
  ranks[2].send(4, 1'000);
  ranks[4].recv(2, 1'000);
  for (const std::size_t other : {3, 5, 6, 7}) ranks[other].comp(us(1));
  platform::Platform platform = grid(2, 4, Block::fully_connected);
  platform.dims[0].block = Block::switched;
  EXPECT_THAT(classes(testing::workload(ranks), platform), ElementsAre(0, 1, 2, 3, 4, 3, 3, 3));
}

// 0 and 1 send to 2 and 3, each in another order.
TEST(Folding, WhichOfTheReceiversPeersARankIsCounts) {
  const auto crossed = [](bool swapped) {
    std::vector<Rank> ranks(4);
    ranks[0].send(3, 1'000, 0, {ranks[0].send(2, 1'000)});
    ranks[1].send(2, 1'000, 0, {ranks[1].send(3, 1'000)});
    ranks[2].recv(1, 1'000, 0, {ranks[2].recv(0, 1'000)});
    ranks[3].recv(swapped ? 0 : 1, 1'000, 0, {ranks[3].recv(swapped ? 1 : 0, 1'000)});
    return testing::workload(ranks);
  };
  const platform::Platform platform = line(Block::fully_connected, 4);
  EXPECT_THAT(classes(crossed(true), platform), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(classes(crossed(false), platform), ElementsAre(0, 1, 2, 3));
}

TEST(Folding, APeerThatExpectsNothingIsNotOneThatDoes) {
  std::vector<Rank> ranks(4);
  ranks[0].send(1, 1'000);
  ranks[1].recv(0, 1'000);
  ranks[2].send(3, 1'000);
  ranks[3].recv(1, 1'000);
  EXPECT_THAT(classes(testing::workload(ranks), line(Block::fully_connected, 4)),
              ElementsAre(0, 1, 2, 3));
}

TEST(Folding, TagsSizesAndTheOrderOfSendsCount) {
  const auto pairs = [](std::uint32_t tag, std::int64_t size, bool swapped) {
    std::vector<Rank> ranks(4);
    for (const std::int32_t sender : {0, 2}) {
      const bool other = sender == 2;
      Rank& rank = ranks[static_cast<std::size_t>(sender)];
      const std::int64_t first = other ? size : 1'000;
      const bool rotated = other && swapped;
      rank.send(sender + 1, rotated ? 5 : first, other ? tag : 7);
      rank.send(sender + 1, rotated ? first : 5, other ? tag : 7);
      for (const std::int64_t bytes : {first, std::int64_t{5}})
        ranks[static_cast<std::size_t>(sender) + 1].recv(sender, bytes, other ? tag : 7);
    }
    return testing::workload(ranks);
  };
  const platform::Platform platform = line(Block::fully_connected, 4);
  EXPECT_THAT(classes(pairs(7, 1'000, false), platform), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(classes(pairs(8, 1'000, false), platform), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(classes(pairs(7, 1'001, false), platform), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(classes(pairs(7, 1'000, true), platform), ElementsAre(0, 1, 2, 3));
}

TEST(Folding, TensorsCountBySizeAndByWhichNotByName) {
  const auto chain = [](const std::string& a, const std::string& b, std::int64_t size) {
    Rank rank;
    rank.tensors({}, {{a, size}}, us(1));
    rank.tensors({{b, size}}, {}, us(1), {1});
    return rank;
  };
  std::vector<Rank> ranks;
  ranks.push_back(chain("x", "x", 10));
  ranks.push_back(chain("y", "y", 10));
  ranks.push_back(chain("x", "y", 10));
  ranks.push_back(chain("x", "x", 20));
  EXPECT_THAT(classes(testing::workload(ranks), line(Block::ring, 4)), ElementsAre(0, 0, 1, 2));
}

TEST(Folding, DependenciesDurationsAndWorkCount) {
  std::vector<Rank> ranks(5);
  for (Rank& rank : ranks) rank.comp(us(1));
  ranks[0].comp(us(1), {1});
  ranks[1].comp(us(1), {1});
  ranks[2].comp(us(1));
  ranks[3].comp(us(2), {1});
  ranks[4].work(5, 5, {1});
  EXPECT_THAT(classes(testing::workload(ranks), line(Block::ring, 5)), ElementsAre(0, 0, 1, 2, 3));
}

TEST(Folding, MoreThanAFewPeersAreFoundAsWell) {
  std::vector<Rank> ranks(24);  // everybody sends to everybody, next first
  for (std::int32_t r = 0; r < 24; ++r) {
    for (std::int32_t i = 1; i < 24; ++i) ranks[r].send((r + i) % 24, 1'000);
    for (std::int32_t i = 1; i < 24; ++i) ranks[r].recv((r + 24 - i) % 24, 1'000);
  }
  graph::Workload workload = testing::workload(ranks);
  EXPECT_EQ(classes(workload, line(Block::switched, 24)), Classes(24, 0));
  workload.graphs[5] = workload.graphs[4];  // whose messages are for others
  EXPECT_EQ(folded(workload, line(Block::switched, 24)).classes(), 24u);
}

TEST(Folding, OneRankNamedInTwoWaysIsOnePeer) {
  std::vector<Rank> ranks(4);
  for (std::int32_t r = 0; r < 4; ++r) {
    const std::int32_t next = r ^ 1;
    ranks[r].send(next, 1'000);
    ranks[r].recv(next, 1'000);
    ranks[r].send(r < 3 ? next - r : -r, 1'000, 1, {}, true);  // rank 3: to rank 0 instead
    ranks[r].recv(r < 3 ? next - r : -r, 1'000, 1, {}, true);
  }
  EXPECT_THAT(classes(testing::workload(ranks), line(Block::fully_connected, 4)),
              ElementsAre(0, 0, 1, 2));
}

TEST(Folding, DeviationsSplitTheirRanksAndWhoeverWaitsForThem) {
  auto ranks = ring_of_messages(6);
  const graph::Workload workload = testing::workload(ranks);
  platform::Platform platform = line(Block::ring, 6);
  testing::slow_down(platform, {0, 3});
  EXPECT_THAT(classes(workload, platform), ElementsAre(0, 1, 2, 0, 1, 2));
  platform.deviations[0].compute_time = 1;  // nothing left of it
  EXPECT_EQ(classes(workload, platform), Classes(6, 0));
  platform.deviations[0].start = us(1);
  EXPECT_THAT(classes(workload, platform), ElementsAre(0, 1, 2, 0, 1, 2));
  platform.deviations[0].start = {};
  platform.deviations[0].ports = {{.dim = 0, .bandwidth = 0.5}};
  EXPECT_THAT(classes(workload, platform), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(Folding, ManyRoundsEndWhereFewRanksChangeInEach) {
  auto ranks = ring_of_messages(600);
  const graph::Workload workload = testing::workload(ranks);
  platform::Platform platform = line(Block::ring, 600);
  testing::slow_down(platform, {0, 200, 400});
  Classes expected;
  for (std::uint32_t r = 0; r < 600; ++r) expected.push_back(r % 200);
  EXPECT_EQ(classes(workload, platform), expected);
  platform.deviations[0].ranks.push_back(401);
  EXPECT_EQ(folded(workload, platform).classes(), 600u);
}

TEST(Folding, RanksThatCannotRunAreLeftToTheRun) {
  std::vector<Rank> ranks(4);
  ranks[0].send(1, 1'000, 0, {}, false, 3);  // sends for rank 3
  ranks[1].recv(9, 1'000);
  ranks[2].send(-5, 1'000);
  ranks[3].coll(CollectiveType::all_reduce, 1'000, {}, "nobody's");
  EXPECT_EQ(folded(testing::workload(ranks), line(Block::ring, 4)).classes(), 4u);
  Rank unknown;
  unknown.coll(CollectiveType::all_reduce, 1'000, {}, "nobody's");
  EXPECT_EQ(classes(testing::replicated(unknown, 4), line(Block::ring, 4)), Classes(4, 0));
}

TEST(Folding, ThatWouldNotBeExactIsRefused) {
  Rank rank;
  rank.load(1'000);
  const graph::Workload workload = testing::replicated(rank, 4);
  const auto refused = [&](const auto& change) {
    platform::Platform platform = line(Block::ring, 4);
    change(platform);
    const Folding folding = folded(workload, platform);
    if (folding.classes() == 1) return std::string();
    EXPECT_THAT(folding.class_of, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(folding.members, ElementsAre(1, 1, 1, 1));
    return folding.why_not;
  };
  EXPECT_EQ(refused([](platform::Platform& p) { p.network = platform::NetworkModelKind::message; }),
            "");
  using platform::RemoteMemoryKind;
  for (const RemoteMemoryKind kind : {RemoteMemoryKind::pool, RemoteMemoryKind::per_node}) {
    const auto shared = [kind](platform::Platform& p) { p.remote_memory.kind = kind; };
    EXPECT_EQ(refused(shared), "") << "shared fairly";
    EXPECT_THAT(refused([&](platform::Platform& p) {
                  shared(p);
                  p.rules = Rules::astra;
                }),
                HasSubstr("remote memory serves requests in order of arrival"));
  }
  EXPECT_EQ(
      refused([](platform::Platform& p) { p.remote_memory.kind = RemoteMemoryKind::per_npu; }), "");
  const auto themis = [](platform::Platform& p) {
    p.collectives.inter_dimension = platform::InterDimension::themis;
  };
  EXPECT_EQ(refused(themis), "");
  EXPECT_THAT(refused([&](platform::Platform& p) {
                themis(p);
                p.rules = Rules::astra;
              }),
              HasSubstr("Themis"));
}

TEST(Folding, AGroupThatListsARankTwiceIsRefused) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 1'000, {}, "pair");
  graph::Workload workload = testing::replicated(rank, 4);
  workload.groups["pair"] = {"pair", {0, 1, 0}};
  EXPECT_THAT(folded(workload, line(Block::ring, 4)).why_not, HasSubstr("twice"));
}

}  // namespace
}  // namespace orrery::sim
