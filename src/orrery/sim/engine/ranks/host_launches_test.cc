// SPDX-License-Identifier: Apache-2.0
//
// Devices that wait for hosts to launch their kernels.
#include "orrery/sim/engine/ranks/host_launches.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/sim/result_difference.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using platform::Block;
using testing::line;
using testing::Rank;

/// Kernels of `length` one after another, in `launches` each, on one rank.
RankResult ran(int count, Time length, std::uint32_t launches, Time launch,
               platform::Platform platform = line(Block::ring, 1)) {
  Rank rank;
  rank.hosts(launch);
  for (int i = 0; i < count; ++i) rank.kernel(length, launches);
  const auto result = simulate(testing::replicated(rank, 1), platform);
  EXPECT_TRUE(result);
  return result ? result->ranks[0] : RankResult{};
}

TEST(HostLaunches, ShortKernelsTakeAsLongAsTheirLaunches) {
  const RankResult result = ran(10, us(1), 1, us(5));
  EXPECT_EQ(result.finish, us(10 * 5 + 1));
  EXPECT_EQ(result.compute, us(10));
  EXPECT_EQ(result.idle, us(41));
}

TEST(HostLaunches, LongKernelsWaitForTheFirstLaunchOnly) {
  EXPECT_EQ(ran(10, us(9), 1, us(5)).finish, us(5 + 10 * 9));
  EXPECT_EQ(ran(10, us(5), 1, us(5)).finish, us(5 + 10 * 5));
  EXPECT_EQ(ran(10, us(9), 1, Time{}).finish, us(10 * 9));
}

TEST(HostLaunches, SeveralLaunchesShareANode) {
  EXPECT_EQ(ran(1, us(4), 4, us(5)).finish, us(4 * 5 + 1));
  EXPECT_EQ(ran(1, us(40), 4, us(5)).finish, us(5 + 40));
  EXPECT_EQ(ran(1, us(20), 4, us(5)).finish, us(5 + 20));
  // As if the launches were nodes of their own.
  for (const int length : {2, 12, 30})
    EXPECT_EQ(ran(3, us(4 * length), 4, us(11)).finish, ran(12, us(length), 1, us(11)).finish);
}

// Long kernels hide all launches but the first, unless the host waits for one of them.
TEST(HostLaunches, BeginAfterAResultThatTheHostWaitsFor) {
  for (const bool waits : {false, true}) {
    Rank rank;
    rank.hosts(us(5));
    rank.kernel(us(100));
    rank.kernel(us(100), 1, {}, waits);
    for (int i = 0; i < 3; ++i) rank.kernel(us(100));
    const auto result = simulate(testing::replicated(rank, 1), line(Block::ring, 1));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->ranks[0].finish, us(5 + 5 * 100 + (waits ? 5 : 0)));
  }
}

TEST(HostLaunches, RunAhead) {
  Rank rank;
  rank.hosts(us(5));
  rank.kernel(us(100));
  for (int i = 0; i < 10; ++i) rank.kernel(us(1));
  for (int i = 0; i < 20; ++i) rank.kernel(us(1));
  const auto result = simulate(testing::replicated(rank, 1), line(Block::ring, 1));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ranks[0].finish, us(31 * 5 + 1));  // the device has caught up
  EXPECT_EQ(result->ranks[0].compute, us(130));
}

// A device that has only a few launches to do when a long kernel ends has to wait for the rest.
TEST(HostLaunches, AreAheadByWhatAStreamHolds) {
  const auto ran = [](std::uint32_t ahead) {
    Rank rank;
    rank.hosts(us(5), ahead);
    rank.kernel(us(1000));
    for (int i = 0; i < 100; ++i) rank.kernel(us(1));
    const auto result = simulate(testing::replicated(rank, 1), line(Block::ring, 1));
    return result ? result->ranks[0].finish : std::nullopt;
  };
  EXPECT_EQ(ran(1024), us(5 + 1000 + 100));
  EXPECT_EQ(ran(100), us(5 + 1000 + 100));
  // The 12th is launched when the second begins, and so on.
  EXPECT_EQ(ran(10), us(5 + 1000 + 90 * 5 + 1));
  EXPECT_EQ(ran(1), us(5 + 1000 + 99 * 5 + 1));
}

TEST(HostLaunches, DoNotHoldUpWhatIsNoKernel) {
  Rank rank;
  rank.hosts(us(5));
  rank.comp(us(1));
  const auto first = rank.kernel(us(1));
  rank.send(1, 1000, 0, {});
  rank.kernel(us(1), 1, {first});
  Rank other;
  other.recv(0, 1000);
  std::vector<Rank> ranks;
  ranks.push_back(std::move(rank));
  ranks.push_back(std::move(other));
  const auto result = simulate(testing::workload(ranks), line(Block::ring, 2));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ranks[0].finish, us(11));
  EXPECT_EQ(result->ranks[1].finish, us(2));
}

TEST(HostLaunches, BeginWithTheirRank) {
  platform::Platform platform = line(Block::ring, 1);
  platform.deviations.push_back({.ranks = {0}, .start = us(7)});
  EXPECT_EQ(ran(10, us(1), 1, us(5), platform).finish, us(7 + 51));
  platform.deviations[0].host_time = 2;
  EXPECT_EQ(ran(10, us(1), 1, us(5), platform).finish, us(7 + 101));
}

TEST(HostLaunches, AreUnknownToOtherRulesAndToRecordings) {
  platform::Platform platform = line(Block::ring, 1);
  platform.replay_only = true;
  EXPECT_EQ(ran(10, us(1), 1, us(5), platform).finish, us(10));
  platform.replay_only = false;
  platform.rules = platform::Rules::astra;
  EXPECT_EQ(ran(10, us(1), 1, us(5), platform).finish, us(10));
}

TEST(HostLaunches, EndTheRunBeyondTheClock) {
  Rank rank;
  rank.hosts(Time(1'000'000'000'000));
  rank.kernel(us(1), 0xffffffff);
  const auto result = simulate(testing::replicated(rank, 1), line(Block::ring, 1));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::config_range);
}

/// Microbatches with a message around a ring and, at the end, an all-reduce.
graph::Workload rounds(int count, const std::vector<std::pair<Time, std::uint32_t>>& kernels,
                       Time launch, std::uint32_t ahead = 1024) {
  std::vector<Rank> ranks(4);
  for (int number = 0; number < 4; ++number) {
    Rank& rank = ranks[static_cast<std::size_t>(number)];
    rank.hosts(launch, ahead);
    std::uint64_t last = rank.kernel(us(2));
    for (int i = 0; i < count; ++i) {
      for (const auto& [length, launches] : kernels) last = rank.kernel(length, launches, {last});
      const std::uint64_t sent = rank.send((number + 1) % 4, 3000, 0, {last});
      last = rank.recv((number + 3) % 4, 3000, 0, {sent});
    }
    rank.coll(graph::CollectiveType::all_reduce, 100'000, {last});
  }
  return testing::workload(ranks);
}

/// Skipped repetitions, or -1 where something is not as it is without all that saves work.
std::int64_t skipped_with_equal_results(const graph::Workload& work,
                                        const platform::Platform& platform) {
  const Options plain{.closed_forms = false, .skip_repeats = false};
  const auto expected = simulate(work, platform, plain);
  EXPECT_TRUE(expected) << to_string(expected.error());
  std::int64_t skips = -1;
  for (const bool fold : {false, true}) {
    for (const std::uint32_t threads : {1u, 2u}) {
      for (const bool keep : {true, false}) {
        const Options options{.keep_times = keep, .fold = fold, .threads = threads};
        const auto result = simulate(work, platform, options);
        EXPECT_TRUE(result);
        if (!result || !expected) return -1;
        for (std::uint32_t rank = 0; rank < work.rank_count(); ++rank) {
          if (!(result->ranks[rank] == expected->ranks[rank])) return -1;
        }
        if (keep && !fold && threads == 1)
          skips = static_cast<std::int64_t>(result->savings.iterations_skipped);
        if (keep && first_difference(*expected, *result)) return -1;
      }
    }
  }
  return skips;
}

TEST(HostLaunches, AreSkippedWithWhatRepeats) {
  const platform::Platform platform = line(Block::ring, 4);
  EXPECT_GT(skipped_with_equal_results(rounds(60, {{us(30), 1}, {us(20), 2}}, us(5)), platform), 20)
      << "ahead";
  EXPECT_GT(skipped_with_equal_results(rounds(60, {{us(1), 1}, {us(2), 3}}, us(5)), platform), 20)
      << "behind";
  EXPECT_GT(skipped_with_equal_results(rounds(60, {{us(9), 1}, {us(2), 3}}, us(5)), platform), 20)
      << "now and then";
  EXPECT_GT(skipped_with_equal_results(rounds(60, {{us(30), 1}, {us(20), 2}}, us(5), 10), platform),
            20)
      << "ahead by what a stream holds";
}

TEST(HostLaunches, StandForThoseOfRanksThatAreAlike) {
  const auto work = rounds(3, {{us(1), 1}, {us(2), 3}}, us(5));
  const auto folded = simulate(work, line(Block::ring, 4), {.fold = true});
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->savings.representatives, 1u);
}

// Ranks that do equal work by other kernels, or whose hosts are slower, are not alike.
TEST(HostLaunches, AreToldApartByKernelsAndLaunches) {
  const auto lengths = [](std::uint32_t launches, Time launch) {
    std::vector<Rank> ranks(2);
    for (Rank& rank : ranks) {
      const bool second = &rank == &ranks[1];
      rank.hosts(second ? launch : us(5));
      rank.kernel(us(6), second ? launches : 1);
    }
    const auto work = testing::workload(ranks);
    EXPECT_GE(skipped_with_equal_results(work, line(Block::ring, 2)), 0);
    const auto folded = simulate(work, line(Block::ring, 2), {.fold = true});
    return std::pair(folded->savings.representatives, folded->ranks[1].finish);
  };
  EXPECT_EQ(lengths(1, us(5)), std::pair(std::uint32_t{1}, std::optional(us(11))));
  EXPECT_EQ(lengths(3, us(5)), std::pair(std::uint32_t{2}, std::optional(us(17))));
  EXPECT_EQ(lengths(1, us(8)), std::pair(std::uint32_t{2}, std::optional(us(14))));
}

TEST(HostLaunches, AreToldApartByHowFarAheadTheyAre) {
  std::vector<Rank> ranks(2);
  for (Rank& rank : ranks) {
    rank.hosts(us(5), &rank == &ranks[1] ? 3 : 1024);
    rank.kernel(us(100));
    for (int i = 0; i < 10; ++i) rank.kernel(us(1));
  }
  const auto work = testing::workload(ranks);
  EXPECT_GE(skipped_with_equal_results(work, line(Block::ring, 2)), 0);
  const auto folded = simulate(work, line(Block::ring, 2), {.fold = true});
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->savings.representatives, 2u);
  EXPECT_EQ(folded->ranks[0].finish, us(5 + 100 + 10));
  EXPECT_EQ(folded->ranks[1].finish, us(5 + 100 + 7 * 5 + 1));
}

// What comes behind a loop may have to wait for the host after all.
TEST(HostLaunches, KeepTheirPlaceOverWhatIsSkipped) {
  const auto with_tail = [](int tail, std::uint32_t ahead = 1024) {
    Rank rank;
    rank.hosts(us(5), ahead);
    std::uint64_t last = rank.kernel(us(2));
    for (int i = 0; i < 50; ++i) last = rank.kernel(us(6), 1, {last});
    for (int i = 0; i < tail; ++i) last = rank.kernel(us(1), 1, {last});
    return testing::replicated(rank, 1);
  };
  for (const int tail : {5, 11, 12, 13, 14, 40}) {
    for (const std::uint32_t ahead : {3u, 7u, 12u})
      EXPECT_GE(skipped_with_equal_results(with_tail(tail, ahead), line(Block::ring, 1)), 0);
    const auto work = with_tail(tail);
    EXPECT_GE(skipped_with_equal_results(work, line(Block::ring, 1)), 0);
    const auto result = simulate(work, line(Block::ring, 1));
    // All that is launched, or all that is run from the second on, whichever is later.
    const auto launched = us(5 * (51 + tail) + 1), run = us(2 * 5 + 50 * 6 + tail);
    EXPECT_EQ(result->ranks[0].finish, std::max(launched, run)) << tail;
  }
}

RC_GTEST_PROP(HostLaunches, AreTheSameHoweverWorkIsSaved, ()) {
  const int count = *rc::gen::inRange(1, 40);
  std::vector<std::pair<Time, std::uint32_t>> kernels;
  const int different = *rc::gen::inRange(1, 6);
  for (int i = 0; i < different; ++i)
    kernels.emplace_back(us(*rc::gen::inRange(1, 20)),
                         static_cast<std::uint32_t>(*rc::gen::inRange(1, 4)));
  const auto ahead = static_cast<std::uint32_t>(*rc::gen::element(1, 2, 5, 20, 1024));
  const graph::Workload work = rounds(count, kernels, us(*rc::gen::inRange(0, 9)), ahead);
  platform::Platform platform = line(Block::ring, 4);
  if (*rc::gen::arbitrary<bool>())
    platform.deviations.push_back({.ranks = {1}, .compute_time = 1.5, .start = us(13)});
  RC_ASSERT(skipped_with_equal_results(work, platform) >= 0);
}

}  // namespace
}  // namespace orrery::sim
