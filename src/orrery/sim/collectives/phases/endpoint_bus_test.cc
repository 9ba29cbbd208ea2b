// SPDX-License-Identifier: Apache-2.0
//
// The shared memory bus inside a simulation; the model itself has its own test.
#include <gtest/gtest.h>

#include "orrery/sim/sim_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using platform::Rules;
using testing::line;
using testing::Rank;
using testing::replicated;

platform::SharedBus bus(double gap_per_byte) {
  platform::SharedBus bus;
  bus.L = 10;
  bus.o = 2;
  bus.g = 3;
  bus.G = gap_per_byte;
  return bus;
}

Time end_of(const graph::Workload& work, const platform::Platform& platform) {
  const auto result = simulate(work, platform);
  EXPECT_TRUE(result.has_value()) << (result ? "" : to_string(result.error()));
  if (!result) return Time{};
  EXPECT_FALSE(result->stall);
  return result->end;
}

// Every algorithm finishes under both rule sets, and a slower bus makes it slower.
TEST(EngineBus, EveryAlgorithmCrossesIt) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::halving_doubling,
                                    Algorithm::double_binary_tree}) {
    for (const CollectiveType type :
         {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
      if (algorithm == Algorithm::double_binary_tree && type != CollectiveType::all_reduce)
        continue;
      Rank rank;
      rank.coll(type, 1 << 16);
      const auto work = replicated(rank, 8);
      for (const Rules rules : {Rules::astra, Rules::orrery}) {
        auto platform = line(Block::switched, 8);
        platform.rules = rules;
        platform.collectives.splits = 4;
        for (auto* plan : {&platform.collectives.all_reduce, &platform.collectives.all_gather,
                           &platform.collectives.reduce_scatter}) {
          plan->per_dim = {{algorithm, -1}};
        }
        const Time without = end_of(work, platform);
        platform.shared_bus = bus(0.01);
        const Time fast = end_of(work, platform);
        platform.shared_bus = bus(1);
        const Time slow = end_of(work, platform);
        EXPECT_LT(without, fast);
        EXPECT_LT(fast, slow);
      }
    }
  }
}

// Two ranks, one all-gather of 101 bytes each. Out: 14 on the inner bus and 2 + 100 + 12 on the
// bus; the network; in: the same in reverse.
TEST(EngineBus, AnAllGatherOfTwoIsOutAndIn) {
  Rank rank;
  rank.coll(CollectiveType::all_gather, 101);
  auto platform = line(Block::switched, 2);
  platform.rules = Rules::astra;
  platform.dims[0].latency_ns = 500;
  platform.dims[0].bandwidth = Bandwidth(1e9);
  platform.shared_bus = bus(1);
  EXPECT_EQ(end_of(replicated(rank, 2), platform), ns(128 + 1101 + 128));
}

// Rings of a sub-group wait 10 ns under ASTRA rules, bus or not.
TEST(EngineBus, SubGroupRingsUseItUnderOrreryRulesOnly) {
  std::vector<Rank> ranks(4);
  for (std::size_t r = 0; r < 2; ++r) ranks[r].coll(CollectiveType::all_reduce, 4096, {}, "1");
  auto work = testing::workload(ranks);
  work.groups["1"] = {"1", {0, 1}};
  auto platform = line(Block::switched, 4);
  for (const Rules rules : {Rules::astra, Rules::orrery}) {
    platform.rules = rules;
    platform.shared_bus.reset();
    const Time without = end_of(work, platform);
    platform.shared_bus = bus(1);
    const Time with = end_of(work, platform);
    EXPECT_EQ(with == without, rules == Rules::astra);
  }
}

}  // namespace
}  // namespace orrery::sim
