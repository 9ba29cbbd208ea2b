// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/sim/simulate.h"
#include "orrery/sim/testing.h"

namespace orrery::sim {
namespace {

using platform::Algorithm;
using platform::Block;
using platform::Rules;

// ASTRA-sim runs a whole tree all-reduce in every dimension, up and down again, with one size and
// one tag for all phases. On three dimensions of four a message is then taken for another phase's
// and the reference never ends (golden case c_RFS_4x4x4_all_reduce_doubleBinaryTree_sp4_unaware).
// Ours ends, and says what it did.
TEST(TreePhases, AreKeptApartWhereTheReferenceHangs) {
  testing::Rank rank;
  rank.coll(graph::CollectiveType::all_reduce, 1 << 20);
  platform::Platform platform;
  platform.rules = Rules::astra;
  const Block blocks[] = {Block::ring, Block::fully_connected, Block::switched};
  const double gigabytes[] = {200, 100, 50};
  for (int d = 0; d < 3; ++d) {
    platform.dims.push_back({blocks[d], 4, Bandwidth(gigabytes[d] * (1 << 30)), 500.0});
  }
  platform.collectives.splits = 4;
  platform.collectives.endpoint_delay = ns(10);
  platform.collectives.all_reduce.per_dim.assign(3, {Algorithm::double_binary_tree, -1});
  platform.device.memory = Bandwidth(1600e9);
  const auto result = simulate(testing::replicated(rank, 64), platform);
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->stall.has_value());
  EXPECT_EQ(result->findings.count(FindingCode::tree_phases_kept_apart), 1u);
}

}  // namespace
}  // namespace orrery::sim
