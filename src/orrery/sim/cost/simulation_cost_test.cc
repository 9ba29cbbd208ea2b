// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/cost/simulation_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "orrery/core/system/memory_limit.h"
#include "orrery/sim/sim_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using ::testing::HasSubstr;

constexpr std::uint32_t kRanks = 1024;

Result<SimResult> direct(std::uint32_t ranks, const Options& options,
                         platform::NetworkModelKind network, std::int64_t chunks = 1,
                         platform::Rules rules = platform::Rules::orrery) {
  testing::Rank rank;
  rank.coll(CollectiveType::all_reduce, 1 << 20);
  platform::Platform platform = testing::line(Block::switched, ranks, Algorithm::direct);
  platform.network = network;
  platform.rules = rules;
  platform.collectives.splits = chunks;
  return simulate(testing::replicated(rank, ranks), platform, options);
}

// A million messages share links at one time: 642 MB, of which nothing is allocated.
TEST(SimulationCost, IsRefusedIfItExceedsTheMemory) {
  const MemoryForTests little(500'000'000);
  Options options;
  const auto made = direct(kRanks, options, platform::NetworkModelKind::flow);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::limit_exceeded);
  EXPECT_THAT(made.error().what,
              HasSubstr("the simulation of 1,024 ranks with 1,024 nodes and 2,095,104 messages "
                        "needs about"));
  EXPECT_THAT(made.error().what, HasSubstr("but 500 MB are available"));
  EXPECT_THAT(made.error().hint, HasSubstr("with --fold auto, equivalent ranks"));
  EXPECT_THAT(made.error().hint, HasSubstr("with --network analytical"));
}

TEST(SimulationCost, IsNotRefusedIfItFits) {
  const MemoryForTests little(500'000'000);
  Options options;
  options.fold = true;
  const auto folded = direct(kRanks, options, platform::NetworkModelKind::flow);
  ASSERT_TRUE(folded) << to_string(folded.error());
  EXPECT_EQ(folded->savings.representatives, 1u);
  EXPECT_LT(folded->estimate.bytes, 20'000'000u);
  const auto closed = direct(kRanks, {}, platform::NetworkModelKind::analytical);
  ASSERT_TRUE(closed) << to_string(closed.error());
  EXPECT_EQ(closed->estimate.work.messages, 0u);
}

TEST(SimulationCost, NamesWhatNeedsLess) {
  const MemoryForTests little(60'000'000);
  Options options;
  options.closed_forms = false;
  const auto many = direct(16'384, options, platform::NetworkModelKind::analytical, 64);
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().hint, HasSubstr("with --collectives auto"));
  EXPECT_THAT(many.error().hint, HasSubstr("collectives in fewer than 64 chunks store less"));
  const auto astra =
      direct(16'384, options, platform::NetworkModelKind::analytical, 1, platform::Rules::astra);
  ASSERT_FALSE(astra);
  EXPECT_THAT(astra.error().hint, HasSubstr("with --rules orrery"));
}

// Shared links are recorded by equivalent ranks, durations from a trace are not.
TEST(SimulationCost, NamesTheRanksThatSufficeWithoutARecording) {
  const MemoryForTests little(60'000'000);
  Options options;
  options.fold = options.record = true;
  const auto shared = direct(kRanks, options, platform::NetworkModelKind::flow);
  ASSERT_TRUE(shared) << to_string(shared.error());
  EXPECT_EQ(shared->savings.representatives, 1u);
  EXPECT_EQ(shared->savings.unrecorded_representatives, 0u);
  constexpr std::uint32_t kMany = 1u << 18;
  testing::Rank rank;
  rank.comp(us(1));
  platform::Platform platform = testing::line(Block::switched, kMany);
  platform.replay_only = true;
  const auto recorded = simulate(testing::replicated(rank, kMany), platform, options);
  ASSERT_FALSE(recorded);
  EXPECT_THAT(
      recorded.error().what,
      HasSubstr("Every rank is simulated, because nodes with recorded durations are recorded"));
  EXPECT_THAT(recorded.error().hint,
              HasSubstr("without a run file or page, 1 representative ranks suffice"));
}

// Of two on threads, each fits alone: the second waits, and neither is refused.
TEST(SimulationCost, WaitsForSimulationsOnOtherThreads) {
  const MemoryForTests enough_for_one(100'000'000);
  std::atomic<int> running{0}, most{0};
  std::vector<Result<void>> ends(3);
  std::vector<std::thread> threads;
  for (Result<void>& end : ends) {
    threads.emplace_back([&] {
      bool has_begun = false;
      Options options;
      options.estimated = [&](const SimulationEstimate& estimate) {
        EXPECT_GT(estimate.bytes, 64u << 20);
        has_begun = true;
        most = std::max<int>(most, ++running);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        --running;  // the reservation lasts longer
      };
      const auto made = direct(65'536, options, platform::NetworkModelKind::analytical);
      if (!made) end = tl::unexpected(made.error());
      EXPECT_TRUE(has_begun);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Result<void>& end : ends) EXPECT_TRUE(end) << to_string(end.error());
  EXPECT_EQ(most, 1);
}

// Small simulations never read the limits.
TEST(SimulationCost, OfFewRanksAlwaysFits) {
  const MemoryForTests nothing(1);
  EXPECT_TRUE(direct(16, {}, platform::NetworkModelKind::message));
}

/// The estimate of a direct all-reduce of 1 MiB among 64 ranks.
SimulationEstimate direct_estimate(platform::NetworkModelKind network) {
  const auto made = direct(64, {}, network);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? made->estimate : SimulationEstimate{};
}

// Each rank sends a 64th of the buffer to each other rank, twice: 5 packets of 4 KiB.
TEST(SimulationCost, OfPacketsDependsOnTheBytesOfMessages) {
  const SimulationEstimate packets = direct_estimate(platform::NetworkModelKind::packet);
  const SimulationEstimate messages = direct_estimate(platform::NetworkModelKind::message);
  EXPECT_EQ(packets.work.messages, 64u * 63 * 2);
  EXPECT_EQ(packets.work.message_bytes, packets.work.messages * ((1u << 20) / 64));
  EXPECT_EQ(messages.work.message_bytes, packets.work.message_bytes);
  EXPECT_GT(packets.cpu_seconds, 5 * messages.cpu_seconds);
}

// Each of these messages has 16 KiB, which pass two devices and the switch as hundreds of flits.
TEST(SimulationCost, OfFlitsDependsOnTheirRouters) {
  const SimulationEstimate flits = direct_estimate(platform::NetworkModelKind::noc);
  const SimulationEstimate messages = direct_estimate(platform::NetworkModelKind::message);
  EXPECT_EQ(flits.work.message_bytes, messages.work.message_bytes);
  EXPECT_GT(flits.cpu_seconds, 50 * messages.cpu_seconds);
}

// The limit is compared with the estimate, before anything runs.
TEST(SimulationCost, IsRefusedAboveALimitOfTime) {
  const double needed = direct_estimate(platform::NetworkModelKind::packet).cpu_seconds;
  Options options;
  options.max_cpu_seconds = needed * 0.99;
  const auto refused = direct(64, options, platform::NetworkModelKind::packet);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::limit_exceeded);
  EXPECT_THAT(refused.error().what, HasSubstr("of CPU time by its estimate, and the limit is"));
  options.max_cpu_seconds = needed;
  EXPECT_TRUE(direct(64, options, platform::NetworkModelKind::packet));
}

TEST(SimulationCost, IsReportedBeforeTheRun) {
  std::vector<SimulationEstimate> reported;
  Options options;
  options.estimated = [&](const SimulationEstimate& estimate) { reported.push_back(estimate); };
  const auto made = direct(64, options, platform::NetworkModelKind::message);
  ASSERT_TRUE(made);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].bytes, made->estimate.bytes);
  EXPECT_EQ(reported[0].work.messages, made->messages);
  EXPECT_GT(reported[0].cpu_seconds, 0);
}

}  // namespace
}  // namespace orrery::sim
