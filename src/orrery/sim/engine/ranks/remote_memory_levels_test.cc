// SPDX-License-Identifier: Apache-2.0
//
// What a run says of remote memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "orrery/sim/result_difference.h"
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

/// Bytes of all bins.
std::uint64_t sum_of(const std::vector<std::uint64_t>& bins) {
  return std::accumulate(bins.begin(), bins.end(), std::uint64_t{0});
}

// What is recorded over time sums to what crossed each level, and no bin holds more than the level
// carries in it.
TEST(MemoryLevels, AreRecordedOverTime) {
  Rank rank;
  rank.load(4000);
  rank.store(3000);
  const auto work = testing::replicated(rank, 3);
  for (const bool in_switch : {false, true}) {
    auto platform = line(Block::switched, 3);
    platform.remote_memory = {platform::RemoteMemoryKind::pool, us(1), Bandwidth(1e9)};
    platform.remote_memory.in_switch = in_switch;
    platform.remote_memory.stages = {{platform::MemoryShape::straight, Bandwidth(1e9), 2, {}, 2}};
    Options options;
    options.record = true;
    const auto run = simulate(work, platform, options);
    ASSERT_TRUE(run);
    ASSERT_EQ(run->recording->memory.size(), run->memory.size());
    ASSERT_GT(run->recording->memory_bin, 0);
    for (std::size_t i = 0; i < run->memory.size(); ++i) {
      const RecordedLevel& curve = run->recording->memory[i];
      EXPECT_EQ(curve.loads.size(), curve.stores.size());
      EXPECT_EQ(sum_of(curve.loads), run->memory[i].loaded) << i << in_switch;
      EXPECT_EQ(sum_of(curve.stores), run->memory[i].stored) << i << in_switch;
      const auto most =
          static_cast<double>(run->recording->memory_bin) * 1e-12 * run->memory[i].capacity;
      for (std::size_t b = 0; b < curve.loads.size(); ++b)
        EXPECT_LE(static_cast<double>(curve.loads[b]), most + 8) << i << " " << b;
    }
  }
}

// One device alone: nothing but latency before and behind, so that the bytes are where they move.
TEST(MemoryLevels, BytesAreWhereTheyMove) {
  Rank rank;
  rank.load(10'000);
  auto platform = line(Block::switched, 1);
  platform.remote_memory = {platform::RemoteMemoryKind::per_npu, us(1), Bandwidth(1e9)};
  Options options;
  options.record = true;
  const auto run = simulate(testing::replicated(rank, 1), platform, options);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->end, us(11));
  const RecordedLevel& curve = run->recording->memory.at(0);
  const std::int64_t bin = run->recording->memory_bin;
  for (std::size_t b = 0; b < curve.loads.size(); ++b) {
    const std::int64_t from = static_cast<std::int64_t>(b) * bin;
    const auto due = std::clamp<std::int64_t>(us(10).count() - from, 0, bin) / 1000;
    EXPECT_NEAR(static_cast<double>(curve.loads[b]), static_cast<double>(due), 1) << b;
  }
}

}  // namespace
}  // namespace orrery::sim
