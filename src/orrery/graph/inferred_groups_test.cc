// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/inferred_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/graph/rank_chains_testing.h"

namespace orrery::graph {
namespace {

using ::testing::ElementsAre;

// Of four ranks, pairs reduce in groups of their own, and all in one that is described.
TEST(GroupOrder, RanksThatDoTheSameInAGroupAreInIt) {
  Workload workload = RankChains::workload(4, [](std::uint32_t rank, RankChains& chain) {
    chain.collective(CollectiveType::all_reduce, rank < 2 ? "low" : "high", 100);
    chain.collective(CollectiveType::all_gather, rank < 2 ? "low" : "high", rank < 2 ? 7 : 9);
    chain.collective(CollectiveType::all_reduce, "said", 100);
    chain.collective(CollectiveType::all_reduce, "", 100);  // all ranks
  });
  workload.groups["said"] = {"said", {3, 2, 1, 0}};
  infer_groups(workload);
  EXPECT_EQ(workload.groups.size(), 3u);
  EXPECT_THAT(workload.groups["low"].ranks, ElementsAre(0, 1));
  EXPECT_THAT(workload.groups["high"].ranks, ElementsAre(2, 3));
  EXPECT_THAT(workload.groups["said"].ranks, ElementsAre(3, 2, 1, 0));
  EXPECT_EQ(workload.findings.count(FindingCode::group_from_order), 2u);
}

// Another size, another order, one more, or a rank alone: the members are unknown.
TEST(GroupOrder, WhereRanksDifferNothingIsTold) {
  Workload workload = RankChains::workload(2, [](std::uint32_t rank, RankChains& chain) {
    chain.collective(CollectiveType::all_reduce, "size", rank == 0 ? 100 : 101);
    chain.collective(rank == 0 ? CollectiveType::all_reduce : CollectiveType::broadcast, "order",
                     100);
    chain.collective(rank == 0 ? CollectiveType::broadcast : CollectiveType::all_reduce, "order",
                     100);
    for (std::uint32_t i = 0; i <= rank; ++i)
      chain.collective(CollectiveType::all_reduce, "more", 100);
    if (rank == 1) chain.collective(CollectiveType::all_reduce, "alone", 100);
  });
  infer_groups(workload);
  EXPECT_TRUE(workload.groups.empty());
  EXPECT_TRUE(workload.findings.empty());
}

}  // namespace
}  // namespace orrery::graph
