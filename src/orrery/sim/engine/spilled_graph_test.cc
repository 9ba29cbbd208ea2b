// SPDX-License-Identifier: Apache-2.0
//
// A run whose graphs are in a file is the same run.
#include <gtest/gtest.h>

#include <random>

#include "orrery/graph/spill.h"
#include "orrery/sim/sim_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

/// Ranks that differ: compute of any length, an all-reduce of all, a message around the ring.
graph::Workload any_workload(std::uint32_t ranks, int rounds, std::mt19937_64& random) {
  std::vector<testing::Rank> made(ranks);
  std::vector<std::vector<std::uint64_t>> last(ranks);
  for (int round = 0; round < rounds; ++round) {
    const auto bytes = static_cast<std::int64_t>(1 + random() % 100'000);
    const auto tag = static_cast<std::uint32_t>(round);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto to = static_cast<std::int32_t>((rank + 1) % ranks);
      const auto from = static_cast<std::int32_t>((rank + ranks - 1) % ranks);
      testing::Rank& at = made[rank];
      const auto worked = at.comp(ns(static_cast<std::int64_t>(1 + random() % 50'000)), last[rank]);
      const auto reduced = at.coll(graph::CollectiveType::all_reduce, bytes, {worked});
      const auto sent = at.send(to, bytes / 2 + 1, tag, {worked});
      const auto got = at.recv(from, bytes / 2 + 1, tag, {worked});
      last[rank] = {reduced, sent, got};
    }
  }
  return testing::workload(made);
}

TEST(Spilled, RunsAreTheSameAsFromMemory) {
  std::mt19937_64 random(5);
  for (int turn = 0; turn < 5; ++turn) {
    const graph::Workload in_memory = any_workload(4, 400, random);
    graph::Workload in_file = in_memory;
    {
      auto spill = graph::Spill::create(::testing::TempDir());
      ASSERT_TRUE(spill);
      for (graph::GraphRef& graph : in_file.graphs) {
        auto put = spill->put(*graph);
        ASSERT_TRUE(put);
        graph = std::make_shared<const graph::Graph>(std::move(*put));
      }
    }
    ASSERT_GT(in_file.spilled_bytes(), 0u);
    for (const auto rules : {platform::Rules::orrery, platform::Rules::astra}) {
      auto platform = testing::line(platform::Block::ring, 4);
      platform.rules = rules;
      const auto one = simulate(in_memory, platform), other = simulate(in_file, platform);
      ASSERT_TRUE(one) << to_string(one.error());
      ASSERT_TRUE(other) << to_string(other.error());
      ASSERT_FALSE(one->stall);
      EXPECT_EQ(one->end, other->end);
      EXPECT_EQ(one->messages, other->messages);
      EXPECT_EQ(one->events, other->events);
      EXPECT_EQ(one->path.size(), other->path.size());
      for (std::uint32_t rank = 0; rank < 4; ++rank)
        EXPECT_EQ(one->ranks[rank], other->ranks[rank]);
    }
  }
}

TEST(Spilled, WithoutTimesTheRunIsTheSame) {
  std::mt19937_64 random(6);
  const graph::Workload workload = any_workload(4, 400, random);
  for (const auto rules : {platform::Rules::orrery, platform::Rules::astra}) {
    auto platform = testing::line(platform::Block::ring, 4);
    platform.rules = rules;
    Options options;
    const auto one = simulate(workload, platform, options);
    options.keep_times = false;
    const auto other = simulate(workload, platform, options);
    ASSERT_TRUE(one && other);
    EXPECT_FALSE(one->path.empty());
    EXPECT_TRUE(other->path.empty());
    ASSERT_EQ(one->collectives.size(), other->collectives.size());
    for (std::size_t i = 0; i < one->collectives.size(); ++i)
      EXPECT_EQ(one->collectives[i].time, other->collectives[i].time);
    for (std::uint32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(one->ranks[rank], other->ranks[rank]);
  }
}

TEST(Spilled, WithoutTimesAStallIsToldToo) {
  testing::Rank waits, silent;
  for (int i = 0; i < 3000; ++i) (void)waits.comp(ns(1));
  (void)waits.recv(1, 64, 7, {3000});
  (void)silent.comp(ns(1));
  std::vector<testing::Rank> ranks;
  ranks.push_back(std::move(waits));
  ranks.push_back(std::move(silent));
  const graph::Workload workload = testing::workload(ranks);
  Options options;
  options.keep_times = false;
  const auto run = simulate(workload, testing::line(platform::Block::ring, 2), options);
  ASSERT_TRUE(run);
  ASSERT_TRUE(run->stall);
  ASSERT_EQ(run->stall->nodes.size(), 1u);
  EXPECT_EQ(run->stall->nodes[0].node, 3000u);
}

}  // namespace
}  // namespace orrery::sim
