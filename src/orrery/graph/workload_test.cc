// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace orrery::graph {
namespace {

using ::testing::ElementsAre;

TEST(GroupAxis, GroupsAreRanksThatDifferInItsDigits) {
  const GroupAxis dp{"dp", {{4, 2}, {16, 3}}};  // of tp 4, dp 2, something 2, dp 3
  EXPECT_EQ(dp.extent(), 6u);
  EXPECT_EQ(dp.first(38), 2u);  // 38 = 2 + 1·4 + 0·8 + 2·16
  EXPECT_EQ(dp.position(38), 5u);
  EXPECT_THAT(dp.members(2), ElementsAre(2, 6, 18, 22, 34, 38));
  EXPECT_EQ(dp.first(10), 10u);  // the digit between is not of this axis
}

// nccl-tests, doc/PERFORMANCE.md: an all-gather's size is what each rank ends with.
TEST(WholeBuffer, IsWhatNodesStateButForAllGathers) {
  EXPECT_EQ(whole_buffer(CollectiveType::all_gather, Bytes(10), 8), Bytes(80));
  EXPECT_EQ(whole_buffer(CollectiveType::all_gather, Bytes(10), 0), Bytes(10)) << "not known";
  for (const CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::reduce_scatter, CollectiveType::all_to_all,
        CollectiveType::broadcast, CollectiveType::gather})
    EXPECT_EQ(whole_buffer(type, Bytes(10), 8), Bytes(10));
  const Bytes most(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(whole_buffer(CollectiveType::all_gather, Bytes(1ll << 62), 1000), most);
}

TEST(GroupAxis, AStepLeavesRanksOut) {
  const GroupAxis embedding{"embedding", {{2, 2, 3}}};  // first and last of 4 stages, 2 ranks apart
  EXPECT_THAT(embedding.members(1), ElementsAre(1, 7));
  EXPECT_EQ(embedding.first(7), 1u);
  EXPECT_EQ(embedding.position(7), 1u);
  EXPECT_TRUE(embedding.has(8));  // the next four stages
  EXPECT_FALSE(embedding.has(3));
}

TEST(GroupAxis, WithoutDigitsARankIsAlone) {
  EXPECT_THAT(GroupAxis{}.members(5), ElementsAre(5));
  EXPECT_EQ(GroupAxis{}.extent(), 1u);
}

TEST(Workload, NamesGroupsOnAnAxisAfterTheirFirstMember) {
  Workload workload;
  workload.graph_of_rank.assign(8, 0);
  workload.groups["experts"] = {"experts", {0, 1}};
  workload.axes["tp"] = {"tp", {{1, 4}}};
  workload.axes["world"] = {"world", {{1, 8}}};
  EXPECT_EQ(workload.group_name("tp", 6), "tp of rank 4");
  EXPECT_EQ(workload.group_name("world", 6), "world");  // there is only one
  EXPECT_EQ(workload.group_name("experts", 6), "experts");
  EXPECT_EQ(workload.group_name("", 6), "");
}

}  // namespace
}  // namespace orrery::graph
