// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "orrery/core/text/rank_list.h"

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
  EXPECT_EQ(full_buffer(CollectiveType::all_gather, Bytes(10), 8), Bytes(80));
  EXPECT_EQ(full_buffer(CollectiveType::all_gather, Bytes(10), 0), Bytes(10)) << "not known";
  for (const CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::reduce_scatter, CollectiveType::all_to_all,
        CollectiveType::broadcast, CollectiveType::gather})
    EXPECT_EQ(full_buffer(type, Bytes(10), 8), Bytes(10));
  const Bytes most(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(full_buffer(CollectiveType::all_gather, Bytes(1ll << 62), 1000), most);
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

/// What the group of `rank` is called where it is not the only one.
std::string name_of(const GroupAxis& axis, std::uint32_t rank) {
  Workload workload;
  workload.graph_of_rank.assign(1000, 0);
  workload.axes["a"] = axis;
  return workload.group_name("a", rank);
}

TEST(Workload, NamesAGroupWithItsRanks) {
  EXPECT_EQ(name_of({"a", {{1, 4}}}, 6), "a (ranks 4-7)");
  EXPECT_EQ(name_of({"a", {{2, 4}}}, 4), "a (ranks 0, 2, 4, 6)");
  EXPECT_EQ(name_of({"a", {{8, 16}}}, 9), "a (ranks 1, 9 … 121)");
  EXPECT_EQ(name_of({"a", {{4, 2}, {1, 2}}}, 3), "a (ranks 2-3, 6-7)");
  EXPECT_EQ(name_of({"a", {{1, 2}, {2, 2}, {4, 2}}}, 5), "a (ranks 0-7)");
  EXPECT_EQ(name_of({"a", {{1, 2, 3}}}, 3), "a (ranks 0, 3)");
  EXPECT_EQ(name_of({"a", {{1, 1}}}, 3), "a (rank 3)");
}

// The words of an axis are those of its list of members, whatever the order of its digits.
TEST(Workload, NamesOfGroupsAreThoseOfTheirMembers) {
  const std::vector<GroupAxis::Digit> some = {{1, 2}, {2, 3}, {6, 2}, {12, 5}, {12, 2, 3}};
  for (std::size_t set = 0; set < 32; ++set) {
    GroupAxis axis{"a", {}};
    for (std::size_t i = 0; i < 4; ++i) {
      if ((set >> i & 1) != 0) axis.digits.push_back(some[i == 3 && set > 15 ? 4 : i]);
    }
    if (set > 15) std::reverse(axis.digits.begin(), axis.digits.end());
    for (std::uint32_t rank = 0; rank < 48; ++rank) {
      if (!axis.has(rank)) continue;
      const std::string words = format_ranks(axis.members(axis.first(rank)));
      EXPECT_EQ(name_of(axis, rank), "a (" + words + ")") << set << " " << rank;
    }
  }
}

TEST(Workload, NamesGroupsOnAnAxisWithTheirRanks) {
  Workload workload;
  workload.graph_of_rank.assign(8, 0);
  workload.groups["experts"] = {"experts", {0, 1}};
  workload.axes["tp"] = {"tp", {{1, 4}}};
  workload.axes["world"] = {"world", {{1, 8}}};
  EXPECT_EQ(workload.group_name("tp", 6), "tp (ranks 4-7)");
  EXPECT_EQ(workload.group_name("world", 6), "world");  // there is only one
  EXPECT_EQ(workload.group_name("experts", 6), "experts");
  EXPECT_EQ(workload.group_name("", 6), "");
}

}  // namespace
}  // namespace orrery::graph
