// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are slower while they overlap with collectives.
#include "orrery/sim/engine/ranks/kernel_interference.h"

#include <gtest/gtest.h>

#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Block;
using testing::line;
using testing::Rank;

/// 10^6 operations take 1 us.
platform::Platform two_ranks(
    std::optional<platform::StepEffects::OverlapSlowdown> kernel_interference) {
  platform::Platform platform = line(Block::ring, 2);
  platform.device.compute = TimeSource::roofline;
  platform.device.peak = FlopRate(1e12);
  platform.device.memory = Bandwidth(1e15);
  platform.device.in_step.overlap = kernel_interference;
  return platform;
}

constexpr std::int64_t kOps = 100'000'000;  // 100 us
constexpr platform::StepEffects::OverlapSlowdown kTwice{2, 2};

/// When two such ranks are done.
Time finish_of(Rank& rank, const platform::Platform& platform) {
  const auto result = simulate(testing::replicated(rank, 2), platform);
  EXPECT_TRUE(result);
  return result ? result->ranks[0].finish.value_or(Time{}) : Time{};
}
double number(Time time) { return static_cast<double>(time.count()); }

Time alone(std::int64_t bytes) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, bytes);
  return finish_of(rank, two_ranks(kTwice));
}

/// The size of an all-reduce that takes between 30 and 80 us.
std::int64_t some_bytes() {
  std::int64_t bytes = 1024;
  while (alone(bytes) < us(30)) bytes *= 2;
  EXPECT_LT(alone(bytes), us(80));
  return bytes;
}

// The end of the kernel moves later and earlier several times.
TEST(OverlapSlowdown, OneKernelMeetsTwoCollectives) {
  const std::int64_t bytes = some_bytes();
  const Time duration = alone(bytes);
  for (const Time pause : {us(1), us(5)}) {
    Rank rank;
    rank.work(kOps, 1);
    const std::uint64_t first = rank.coll(CollectiveType::all_reduce, bytes);
    const std::uint64_t between = rank.comp(pause, {first}, true);
    rank.coll(CollectiveType::all_reduce, bytes, {between});
    EXPECT_NEAR(number(finish_of(rank, two_ranks(kTwice))), number(us(100) + duration), 4);
  }
}

TEST(OverlapSlowdown, KernelsAreSlowerWhileACollectiveRuns) {
  const std::int64_t bytes = some_bytes();
  const Time duration = alone(bytes);
  const auto finish =
      [&](std::optional<platform::StepEffects::OverlapSlowdown> kernel_interference) {
        Rank rank;
        rank.work(kOps, 1);
        rank.coll(CollectiveType::all_reduce, bytes);
        return finish_of(rank, two_ranks(kernel_interference));
      };
  // Half of what passed is done when the collective ends.
  const Time left = us(100) - Time(duration.count() / 2);
  EXPECT_NEAR(number(finish(kTwice)), number(duration + left), 2);
  EXPECT_EQ(finish(platform::StepEffects::OverlapSlowdown{1, 1}), us(100));
  EXPECT_EQ(finish(std::nullopt), us(100));
}

TEST(OverlapSlowdown, ACollectiveMayBeginInTheMiddle) {
  const std::int64_t bytes = some_bytes();
  const Time duration = alone(bytes);
  Rank rank;
  rank.work(kOps, 1);
  const auto before = rank.comp(us(20), {}, true);  // on the host
  rank.coll(CollectiveType::all_reduce, bytes, {before});
  const Time end = us(20) + duration + us(80) - Time(duration.count() / 2);
  EXPECT_NEAR(number(finish_of(rank, two_ranks(kTwice))), number(end), 2);
}

TEST(OverlapSlowdown, KernelsOneAfterAnotherAreAsOne) {
  const std::int64_t bytes = some_bytes();
  Rank one, many;
  one.work(kOps, 1);
  one.coll(CollectiveType::all_reduce, bytes);
  std::uint64_t last = 0;
  for (int i = 0; i < 10; ++i)
    last = many.work(kOps / 10, 1, last == 0 ? testing::Deps{} : testing::Deps{last});
  many.coll(CollectiveType::all_reduce, bytes);
  EXPECT_NEAR(number(finish_of(one, two_ranks(kTwice))), number(finish_of(many, two_ranks(kTwice))),
              12);
}

TEST(OverlapSlowdown, WhatWasRecordedKnowsIt) {
  Rank rank;
  rank.comp(us(100));
  rank.coll(CollectiveType::all_reduce, some_bytes());
  EXPECT_EQ(finish_of(rank, two_ranks(kTwice)), us(100));
}

TEST(OverlapSlowdown, ProductsAndOthersHaveFactorsOfTheirOwn) {
  platform::Platform platform = two_ranks(platform::StepEffects::OverlapSlowdown{1.5, 1.25});
  const model::ConcurrentUse one{1, 0, 0, 0};
  const model::Interference stated(platform);
  EXPECT_EQ(stated.factor({}, true), 1);
  EXPECT_EQ(stated.factor(one, true), 1.5);
  EXPECT_EQ(stated.factor(one, false), 1.25);
  platform.device.in_step.overlap.reset();
  platform.device.entry = "h100-sxm";  // 132 SMs
  platform.device.memory = Bandwidth(3e12);
  const model::Interference assumed(platform);
  constexpr std::int64_t kSome = 600'000'000'000;
  EXPECT_EQ(assumed.factor({1, 0, 0, 0}, true), 1);
  EXPECT_DOUBLE_EQ(assumed.factor({1, 32, 0, 0}, true), 1.32);
  EXPECT_DOUBLE_EQ(assumed.factor({1, 32, kSome, 0}, false), 1.25);
  EXPECT_EQ(assumed.factor({3, 500, 0, 0}, true), 2);  // never less than half
  // Copies hold no SMs.
  EXPECT_EQ(assumed.factor({0, 0, 0, kSome}, true), 1);
  EXPECT_DOUBLE_EQ(assumed.factor({0, 0, 0, kSome}, false), 1.25);
  EXPECT_DOUBLE_EQ(assumed.factor({1, 32, kSome, kSome}, false), 3.0 / 1.8);
  EXPECT_DOUBLE_EQ(stated.factor({1, 0, 0, 500'000'000'000'000}, false), 1.25 * 2);
}

/// Memory of 100 GB/s; a remote one of 25 GB/s, of each rank's own.
platform::Platform with_remote_memory() {
  platform::Platform platform = two_ranks(std::nullopt);
  platform.device.memory = Bandwidth(1e11);
  platform.remote_memory.kind = platform::RemoteMemoryKind::per_npu;
  platform.remote_memory.bandwidth = Bandwidth(2.5e10);
  platform.remote_memory.latency = Time{};
  return platform;
}

TEST(OverlapSlowdown, CopiesTakeOfTheMemoryThatKernelsWaitFor) {
  // 100 us of memory alone; while 1 MB come for 40 us, three quarters of it are left.
  Rank pass;
  pass.pass(10'000'000);
  pass.load(1'000'000);
  EXPECT_NEAR(number(finish_of(pass, with_remote_memory())), number(us(110)), 2);
  // Both ways at once: 20 us with half of it, then 20 with three quarters.
  Rank both;
  both.pass(10'000'000);
  both.load(500'000);
  both.store(1'000'000);
  platform::Platform ways = with_remote_memory();
  ways.remote_memory.bandwidth = Bandwidth(5e10);
  ways.remote_memory.stages = {{platform::MemoryShape::straight, Bandwidth(2.5e10), 1, {}, 1}};
  EXPECT_NEAR(number(finish_of(both, ways)), number(us(115)), 2);
  // Products do not feel it.
  Rank product;
  product.work(kOps, 1);
  product.load(1'000'000);
  EXPECT_EQ(finish_of(product, with_remote_memory()), us(100));
}

TEST(OverlapSlowdown, LoadsAndStoresGoAtOnce) {
  platform::Platform platform = with_remote_memory();
  platform.remote_memory.bandwidth = Bandwidth(1e11);
  platform.remote_memory.stages = {{platform::MemoryShape::straight, Bandwidth(2.5e10), 1, {}, 1}};
  Rank rank;
  rank.load(1'000'000);
  rank.store(1'000'000);
  EXPECT_EQ(finish_of(rank, platform), us(40));
  Rank loads;
  loads.load(1'000'000);
  loads.load(1'000'000);
  EXPECT_EQ(finish_of(loads, platform), us(80));
}

}  // namespace
}  // namespace orrery::sim
