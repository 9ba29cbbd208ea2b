// SPDX-License-Identifier: Apache-2.0
//
// What a run says of remote memory.
#include <gtest/gtest.h>

#include "orrery/sim/difference.h"
#include "orrery/sim/sim_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

using platform::Block;
using testing::line;
using testing::Rank;

// What crossed each level, whether ranks stand for others or not: to the byte, also where switches
// gather and bytes do not divide evenly.
TEST(MemoryLevels, SayWhatCrossedThem) {
  Rank rank;
  rank.load(1000);
  rank.load(33);
  const auto work = testing::replicated(rank, 4);
  for (const bool in_switch : {false, true}) {
    auto platform = line(Block::switched, 4);
    platform.remote_memory = {platform::RemoteMemoryKind::pool, us(1), Bandwidth(1e9)};
    platform.remote_memory.in_switch = in_switch;
    platform.remote_memory.stages = {
        {platform::MemoryShape::straight, Bandwidth(1e9), 2, {}, 2},
        {platform::MemoryShape::ring, Bandwidth(1e9), 1, {1}, 0}};  // one place: no links
    Options one;
    one.fold = true;
    const auto folded = simulate(work, platform, one), all = simulate(work, platform);
    ASSERT_TRUE(folded && all);
    EXPECT_EQ(folded->savings.representatives, 1u);
    EXPECT_EQ(all->savings.representatives, 4u);
    EXPECT_EQ(first_difference(*folded, *all), std::nullopt);
    ASSERT_EQ(all->memory.size(), 2u);
    EXPECT_EQ(all->memory[0].loaded, in_switch ? 1033u : 4132u);
    EXPECT_EQ(all->memory[1].loaded, in_switch ? 2066u : 4132u);
    EXPECT_EQ(all->memory[0].stored, 0u);
    EXPECT_EQ(all->memory[0].capacity, 1e9);
    EXPECT_EQ(all->memory[1].capacity, 4e9);
    EXPECT_NEAR(all->memory[0].in_use(us(10)), in_switch ? 0.1033 : 0.4132, 1e-9);
  }
}

}  // namespace
}  // namespace orrery::sim
