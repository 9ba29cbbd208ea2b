// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/records/rank_bytes.h"

#include <gtest/gtest.h>

#include <set>

namespace orrery::trace::chakra {
namespace {

/// 600 × 4 ranks: those with the same last digit, and blocks of four.
std::vector<graph::GroupAxis> rows_and_columns() {
  return {{"column", {{.stride = 4, .count = 600}}},
          {"alone", {}},
          {"row", {{.stride = 1, .count = 4}}}};
}

TEST(GroupNumbers, OfGroupsThatShareRanksDifferModulo500) {
  const GroupNumbers numbers(rows_and_columns(), 2400);
  ASSERT_EQ(numbers.axes().size(), 2u) << "without those of one member";
  EXPECT_EQ(numbers.count(), 604u);
  for (std::uint32_t rank = 0; rank < 2400; ++rank)
    EXPECT_NE(numbers.of(0, rank) % 500, numbers.of(1, rank) % 500) << rank;
}

TEST(GroupNumbers, AreAllDifferentAndEquallyLong) {
  const GroupNumbers numbers(rows_and_columns(), 2400);
  std::set<std::uint32_t> seen;
  for (const GroupNumbers::Group& group : numbers.all()) {
    EXPECT_EQ(std::to_string(group.number).size(), numbers.digits());
    EXPECT_EQ(numbers.of(group.axis, group.first), group.number);
    seen.insert(group.number);
  }
  EXPECT_EQ(seen.size(), numbers.count());
}

/// A computation, a collective among the row, and a message to the next but one.
RankBytes some_bytes(const GroupNumbers& groups, StringPool& pool, std::uint32_t rank) {
  graph::KernelTable kernels;
  RankBytes bytes(groups, pool, kernels, rank);
  graph::NodeSpec node;
  node.kind = graph::NodeKind::comp;
  node.name = pool.intern("work");
  node.work = {.num_ops = 1000, .tensor_size = Bytes(10)};
  bytes.add(node);
  node.id = 1;
  node.deps = {0};
  node.kind = graph::NodeKind::coll;
  node.collective.group = pool.intern("row");
  node.collective.size = Bytes(1 << 20);
  bytes.add(node);
  node.id = 2;
  node.kind = graph::NodeKind::send;
  node.flags = graph::kPeerRelative;
  node.message.dst = 2;
  bytes.add(node);
  return bytes;
}

TEST(RankBytes, BecomeThoseOfAnyRankThatFits) {
  StringPool pool;
  const GroupNumbers groups(rows_and_columns(), 2400);
  RankBytes bytes = some_bytes(groups, pool, 0);
  for (const std::uint32_t rank : {1u, 9u, 125u}) {
    ASSERT_TRUE(bytes.can_patch_for(rank)) << rank;
    bytes.patch_for(rank);
    EXPECT_EQ(bytes.bytes(), some_bytes(groups, pool, rank).bytes()) << rank;
  }
  EXPECT_FALSE(bytes.can_patch_for(126)) << "it sends to 128, a number of two bytes";
  EXPECT_TRUE(some_bytes(groups, pool, 128).can_patch_for(2000));
}

TEST(RankBytes, ComeInPieces) {
  StringPool pool;
  const GroupNumbers groups(rows_and_columns(), 2400);
  RankBytes bytes = some_bytes(groups, pool, 7);
  const std::string first = bytes.bytes();
  bytes.clear();
  EXPECT_EQ(bytes.bytes(), "");
  graph::NodeSpec node;
  node.kind = graph::NodeKind::coll;
  node.collective.group = pool.intern("column");
  bytes.add(node);
  EXPECT_NE(bytes.bytes().find(std::to_string(groups.of(0, 7))), std::string::npos);
}

}  // namespace
}  // namespace orrery::trace::chakra
