// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/folded_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/core/check.h"
#include "orrery/sim/shortcuts/folding/folding_testing.h"

namespace orrery::sim {

static bool operator==(const FoldedRoute& a, const FoldedRoute& b) {
  return a.peer == b.peer && a.src == b.src && a.dst == b.dst;
}

namespace {

using graph::CollectiveType;
using platform::Block;
using testing::line;
using testing::Rank;

struct Made {
  Made(const graph::Workload& workload, const platform::Platform& platform, bool fold = true) {
    ORRERY_CHECK(communicators.make(workload, platform.rules).has_value());
    const model::MultiDimFabric fabric(platform);
    const auto network = model::make_network(platform);
    CollectivePlanner planner(platform, fabric, *network);
    Options options;
    options.fold = fold;
    Savings savings;
    auto made = fold_workload(workload, platform, fabric, *network, options, {}, communicators,
                              planner, savings);
    ORRERY_CHECK(made.has_value());
    why_not = savings.unfolded_reason;
    folded_workload = std::move(*made);
  }

  Communicators communicators;
  FoldedWorkload folded_workload;
  std::string why_not;
};

/// Three times two ranks: one sends to the other, and to a third that never asks; each pair is a
/// group, and so are the ranks of either kind.
graph::Workload pairs() {
  std::vector<Rank> ranks(6);
  graph::Workload groups;
  for (std::uint32_t r = 0; r < 6; ++r) {
    const bool first = r % 2 == 0;
    const std::string pair = "pair" + std::to_string(r / 2), kind = first ? "even" : "odd";
    ranks[r].coll(CollectiveType::all_reduce, 1000, {}, pair);
    ranks[r].coll(CollectiveType::all_gather, 1000, {}, kind);
    groups.groups[pair].ranks.push_back(r);
    groups.groups[kind].ranks.push_back(r);
    if (first) {
      ranks[r].send(1, 500, 0, {}, true);
      ranks[r].send(static_cast<std::int32_t>((r + 2) % 6), 500, 7);
    } else {
      ranks[r].recv(-1, 500, 0, {}, true);
    }
  }
  graph::Workload workload = testing::workload(ranks);
  workload.groups = groups.groups;
  for (auto& [name, group] : workload.groups) group.name = name;
  return workload;
}

TEST(FoldedWorkload, OfRanksThatAreAlikeHasOneOfEachWithItsWeight) {
  const Made made(pairs(), line(Block::switched, 6));
  const FoldedWorkload& folded_workload = made.folded_workload;
  ASSERT_TRUE(folded_workload.is_folded()) << made.why_not;
  ASSERT_EQ(folded_workload.ranks(), 2u);
  EXPECT_EQ(made.why_not, "");
  EXPECT_EQ(folded_workload.real(1), 1u);
  EXPECT_EQ(folded_workload.weight(0), 3u);
  EXPECT_EQ(folded_workload.rank_for(4), 0u);
  EXPECT_EQ(folded_workload.rank_for(5), 1u);
}

TEST(FoldedWorkload, KnowsWhoPlaysWhom) {
  const Made made(pairs(), line(Block::switched, 6));
  const auto number = [&](const char* name) { return made.communicators.find(name, 0); };
  EXPECT_EQ(made.folded_workload.communicator(number("pair2")), number("pair0"));
  EXPECT_EQ(made.folded_workload.communicator(number("odd")), number("odd"));
  const Communicator& pair = made.communicators[number("pair0")];
  EXPECT_EQ(pair.representative_count(), 2u);
  EXPECT_EQ(pair.representative_at(1), (Representative{1, 1}));
  const Communicator& odd = made.communicators[number("odd")];
  EXPECT_EQ(odd.members, 3u);
  EXPECT_EQ(odd.representative_count(), 1u);
  EXPECT_EQ(odd.representative(2), 0u);
  EXPECT_EQ(odd.representative_at(0), (Representative{1, 0}));
  EXPECT_EQ(odd.representative_of_rank(1), 0u);
}

// Rank 0 is simulated for rank 2, and never asks for what rank 4 sends it.
TEST(FoldedWorkload, RoutesMessagesToWhoIsSimulated) {
  const Made made(pairs(), line(Block::switched, 6));
  EXPECT_EQ(made.folded_workload.route(0, 1), (FoldedRoute{1, 0, 1}));
  EXPECT_EQ(made.folded_workload.route(0, 2), (FoldedRoute{2, 6, 0}));
}

// Each rank of a ring sends to the next: the only one that is simulated hears from the last.
TEST(FoldedWorkload, RoutesARingOfMessagesToItself) {
  std::vector<Rank> ranks(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    ranks[r].send(static_cast<std::int32_t>((r + 1) % 4), 100);
    ranks[r].recv(static_cast<std::int32_t>((r + 3) % 4), 100);
  }
  const Made made(testing::workload(ranks), line(Block::ring, 4));
  ASSERT_EQ(made.folded_workload.ranks(), 1u);
  EXPECT_EQ(made.folded_workload.route(0, 1), (FoldedRoute{1, 3, 0}));
}

TEST(FoldedWorkload, MayBeTheWorkloadItself) {
  const Made off(pairs(), line(Block::switched, 6), false);
  EXPECT_EQ(off.why_not, "off");
  std::vector<Rank> ranks(2);
  ranks[0].comp(us(1));
  ranks[1].comp(us(2));
  const Made differ(testing::workload(ranks), line(Block::switched, 2));
  EXPECT_EQ(differ.why_not, "no two ranks are equivalent");
  for (const Made* made : {&off, &differ}) {
    const FoldedWorkload& folded_workload = made->folded_workload;
    EXPECT_FALSE(folded_workload.is_folded());
    EXPECT_EQ(folded_workload.real(1), 1u);
    EXPECT_EQ(folded_workload.weight(1), 1u);
    EXPECT_EQ(folded_workload.rank_for(1), 1u);
    EXPECT_EQ(folded_workload.communicator(0), 0u);
    EXPECT_EQ(folded_workload.route(0, 1), (FoldedRoute{1, 0, 1}));
    EXPECT_TRUE(made->communicators[0].is_unfolded());
    EXPECT_EQ(made->communicators[0].representative_at(1), (Representative{1, 1}));
  }
}

}  // namespace
}  // namespace orrery::sim
