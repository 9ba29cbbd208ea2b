// SPDX-License-Identifier: Apache-2.0
//
// Whole runs with slow ranks, late ranks and bad ports, against closed formulas.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "orrery/sim/sim_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using platform::Deviation;
using platform::NetworkModelKind;
using platform::Platform;
using platform::Rules;
using testing::line;
using testing::Rank;
using testing::replicated;
using testing::workload;

SimResult run_deviated(const graph::Workload& work, const Platform& platform) {
  auto result = simulate(work, platform);
  EXPECT_TRUE(result.has_value()) << (result ? "" : to_string(result.error()));
  return result ? *std::move(result) : SimResult{};
}

Deviation slow(std::vector<std::uint32_t> ranks, double times) {
  Deviation deviation;
  deviation.ranks = std::move(ranks);
  deviation.compute_time = times;
  return deviation;
}

Deviation late(std::vector<std::uint32_t> ranks, Time start) {
  Deviation deviation;
  deviation.ranks = std::move(ranks);
  deviation.start = start;
  return deviation;
}

Deviation bad_port(std::vector<std::uint32_t> ranks, std::uint32_t dim, double share,
                   double latency_ns) {
  Deviation deviation;
  deviation.ranks = std::move(ranks);
  deviation.ports = {{dim, share, latency_ns}};
  return deviation;
}

TEST(DeviatedRuns, ComputeNodesTakeTheirMultiple) {
  for (const Rules rules : {Rules::orrery, Rules::astra}) {
    for (const bool replay_only : {false, true}) {
      Rank rank;
      const auto first = rank.comp(us(10));
      rank.comp(us(4), {first}, /*cpu=*/true);
      const auto work = replicated(rank, 4);
      Platform platform = line(Block::ring, 4);
      platform.rules = rules;
      platform.replay_only = replay_only;
      platform.deviations = {slow({2}, 1.5), slow({3}, 0.5)};
      const auto result = run_deviated(work, platform);
      // Host work of a rank with a device is no compute; ASTRA rules do not distinguish them.
      const Time device[] = {us(10), us(10), us(15), us(5)};
      const Time host[] = {us(4), us(4), us(6), us(2)};
      const bool astra = rules == Rules::astra;
      for (std::size_t r = 0; r < 4; ++r) {
        EXPECT_EQ(result.ranks[r].finish, device[r] + (astra ? host[r] : us(4)));
        EXPECT_EQ(result.ranks[r].compute, device[r] + (astra ? host[r] : Time{}));
      }
    }
  }
}

TEST(DeviatedRuns, WithoutADeviceTheHostComputes) {
  Rank rank;
  rank.comp(us(4), {}, /*cpu=*/true);
  const auto work = replicated(rank, 2);
  Platform platform = line(Block::ring, 2);
  platform.deviations = {slow({1}, 1.5)};
  const auto result = run_deviated(work, platform);
  EXPECT_EQ(result.ranks[0].compute, us(4));
  EXPECT_EQ(result.ranks[1].compute, us(6));
  EXPECT_EQ(result.ranks[1].finish, us(6));
}

TEST(DeviatedRuns, SoDoThoseThatTakeRooflineTime) {
  Rank rank;
  rank.work(1'000'000, 1000);
  const auto work = replicated(rank, 2);
  Platform platform = line(Block::ring, 2);
  platform.device.peak = FlopRate(1e9);
  platform.device.memory = Bandwidth(1e9);
  platform.device.compute = TimeSource::roofline;
  platform.deviations = {slow({1}, 3)};
  const auto result = run_deviated(work, platform);
  EXPECT_EQ(result.ranks[0].finish, us(1000));
  EXPECT_EQ(result.ranks[1].finish, us(3000));
}

TEST(DeviatedRuns, CommunicationAndMemoryDoNot) {
  Rank rank;
  rank.load(1000);
  rank.coll(CollectiveType::all_reduce, 4000);
  const auto work = replicated(rank, 4);
  Platform platform = line(Block::ring, 4);
  platform.device.memory = Bandwidth(1e9);
  const auto plain = run_deviated(work, platform);
  platform.deviations = {slow({0, 3}, 7)};
  EXPECT_EQ(run_deviated(work, platform).end, plain.end);
}

TEST(DeviatedRuns, ALateRankIsIdleFirst) {
  for (const Rules rules : {Rules::orrery, Rules::astra}) {
    Rank rank;
    rank.comp(us(10));
    const auto work = replicated(rank, 2);
    Platform platform = line(Block::ring, 2);
    platform.rules = rules;
    platform.deviations = {late({1}, us(3))};
    const auto result = run_deviated(work, platform);
    EXPECT_EQ(result.ranks[0].finish, us(10));
    EXPECT_EQ(result.ranks[1].finish, us(13));
    EXPECT_EQ(result.ranks[1].compute, us(10));
    EXPECT_EQ(result.ranks[1].idle, us(3));
  }
}

// Every rank's last piece has come past every other rank, so all wait for the last one, and no
// longer: late by its start or by its slow work, it is all the same.
RC_GTEST_PROP(DeviatedRuns, AStragglerDelaysAnAllReduceByItsLateness, ()) {
  const auto n = *rc::gen::inRange<std::uint32_t>(2, 9);
  const auto who = *rc::gen::inRange<std::uint32_t>(0, n);
  const auto lateness = us(*rc::gen::inRange<std::int64_t>(0, 1000));
  Rank rank;
  const auto first = rank.comp(us(500));
  rank.coll(CollectiveType::all_reduce, 1000 * n, {first});
  const auto work = replicated(rank, n);
  Platform platform = line(Block::ring, n, *rc::gen::element(Algorithm::ring, Algorithm::direct));
  platform.rules = *rc::gen::element(Rules::orrery, Rules::astra);
  const Time plain = run_deviated(work, platform).end;
  platform.deviations = {late({who}, lateness)};
  RC_ASSERT(run_deviated(work, platform).end == plain + lateness);
  platform.deviations = {slow({who}, 1 + static_cast<double>(lateness.count()) / 5e8)};
  const Time end = run_deviated(work, platform).end;
  RC_ASSERT(end >= plain + lateness);
  RC_ASSERT(end <= plain + lateness + ns(1));  // the factor is not exact
}

TEST(DeviatedRuns, ABadPortSlowsTheMessagesThroughIt) {
  std::vector<Rank> ranks(4);
  ranks[0].send(1, 100'000);
  ranks[1].recv(0, 100'000);
  ranks[2].send(3, 100'000);
  ranks[3].recv(2, 100'000);
  const auto work = workload(ranks);
  for (const Block block : {Block::ring, Block::fully_connected}) {
    for (const auto network : {NetworkModelKind::analytical, NetworkModelKind::message}) {
      for (const Rules rules : {Rules::orrery, Rules::astra}) {
        Platform platform = line(block, 4);
        platform.rules = rules;
        platform.network = network;
        platform.deviations = {bad_port({1}, 0, 0.25, 30)};
        const auto result = run_deviated(work, platform);
        EXPECT_EQ(result.ranks[1].finish, us(1) + ns(30) + 4 * us(100));
        EXPECT_EQ(result.ranks[3].finish, us(1) + us(100));
      }
    }
  }
}

// Ring all-reduce of 4: a chain of 6 messages goes once around the ring and over two links more;
// the slowest takes both of the bad port's links twice.
TEST(DeviatedRuns, ABadPortSlowsARingByItsLinks) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 4000);
  const auto work = replicated(rank, 4);
  Platform platform = line(Block::ring, 4);
  platform.deviations = {bad_port({1}, 0, 0.5, 100)};
  const Time good = us(1) + us(1), bad = us(1) + ns(100) + us(2);
  EXPECT_EQ(run_deviated(work, platform).end, 4 * bad + 2 * good);
}

// Halving-doubling: the rank behind the bad port exchanges halves, quarters, quarters and halves.
TEST(DeviatedRuns, ABadPortSlowsEveryStepOfHalvingDoubling) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 4000);
  const auto work = replicated(rank, 4);
  Platform platform = line(Block::switched, 4, Algorithm::halving_doubling);
  platform.deviations = {bad_port({2}, 0, 0.5, 100)};
  const Time halves = us(2) + ns(100) + us(4), quarters = us(2) + ns(100) + us(2);
  EXPECT_EQ(run_deviated(work, platform).end, 2 * halves + 2 * quarters);
}

TEST(DeviatedRuns, ABadPortOfAnotherDimensionDoesNothing) {
  std::vector<Rank> ranks(8);
  for (std::size_t r = 0; r < 4; ++r) ranks[r].coll(CollectiveType::all_reduce, 8000, {}, "row");
  for (std::size_t r = 4; r < 8; ++r) ranks[r].comp(us(1));
  auto work = workload(ranks);
  work.groups = {{"row", {"row", {0, 1, 2, 3}}}};
  Platform platform = line(Block::ring, 4);
  platform.dims.push_back(platform.dims[0]);
  platform.dims[1].size = 2;
  platform.collectives.all_reduce.per_dim.assign(2, {Algorithm::ring, -1});
  const Time plain = run_deviated(work, platform).end;
  platform.deviations = {bad_port({0, 1, 2, 3}, 1, 0.01, 1000), bad_port({7}, 0, 0.01, 1000)};
  EXPECT_EQ(run_deviated(work, platform).end, plain);
}

// Ports that deviate by so little that the clock does not show it: every message is then asked for
// rank by rank, and must take what it takes by key, on the lockstep and burst paths.
RC_GTEST_PROP(DeviatedRuns, RankByRankIsAsByKey, ()) {
  const auto n = std::int64_t{1} << *rc::gen::inRange(1, 4);
  const auto type = *rc::gen::element(CollectiveType::all_reduce, CollectiveType::all_gather,
                                      CollectiveType::reduce_scatter);
  std::vector<Rank> ranks(static_cast<std::size_t>(2 * n));
  for (Rank& rank : ranks) {
    const auto first = rank.comp(ns(*rc::gen::inRange<std::int64_t>(0, 3000)));
    rank.coll(type, 16 * 123 * n, {first});
    rank.coll(type, 16 * 321 * n, {first});
  }
  const auto work = workload(ranks);
  const auto block = *rc::gen::element(Block::ring, Block::fully_connected, Block::switched);
  Platform platform = line(block, n);
  platform.rules = *rc::gen::element(Rules::orrery, Rules::astra);
  platform.dims.push_back(platform.dims[0]);
  platform.dims[1].size = 2;
  for (auto& dim : platform.dims) dim.latency_ns = 1000.0001;
  platform::CollectiveConfig& config = platform.collectives;
  config.splits = *rc::gen::element<std::int64_t>(1, 4);
  config.endpoint_delay = ns(10);
  for (auto* plan : {&config.all_reduce, &config.all_gather, &config.reduce_scatter}) {
    for (int d = 0; d < 2; ++d) {
      plan->per_dim.resize(2);
      plan->per_dim[static_cast<std::size_t>(d)] = {
          *rc::gen::element(Algorithm::ring, Algorithm::direct, Algorithm::halving_doubling), -1};
    }
  }
  const auto by_key = run_deviated(work, platform);
  std::vector<std::uint32_t> some(static_cast<std::size_t>(n));
  std::iota(some.begin(), some.end(), 0u);
  platform.deviations = {bad_port(some, 0, 1, 0.00005)};
  platform.deviations.front().ports.push_back({1, 1, 0.00005});
  const auto by_rank = run_deviated(work, platform);
  RC_ASSERT(by_rank.messages == by_key.messages);
  for (std::size_t r = 0; r < ranks.size(); ++r)
    RC_ASSERT(by_rank.ranks[r].finish == by_key.ranks[r].finish);
}

TEST(DeviatedRuns, TreesAskRankByRank) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 4000);
  const auto work = replicated(rank, 4);
  Platform platform = line(Block::switched, 4, Algorithm::double_binary_tree);
  const Time plain = run_deviated(work, platform).end;
  platform.deviations = {bad_port({0, 1, 2, 3}, 0, 0.5, 50)};
  // Each of its messages takes 100 ns and 4 us more.
  const Time more = run_deviated(work, platform).end - plain;
  EXPECT_EQ(more.count() % (ns(100) + us(4)).count(), 0);
  EXPECT_GE(more, 2 * (ns(100) + us(4)));
}

TEST(DeviatedRuns, BeyondTheClockIsAnError) {
  Rank rank;
  rank.comp(us(1));
  Platform platform = line(Block::ring, 2);
  platform.deviations = {slow({1}, 1e300)};
  const auto result = simulate(replicated(rank, 2), platform);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::config_range);
}

}  // namespace
}  // namespace orrery::sim
