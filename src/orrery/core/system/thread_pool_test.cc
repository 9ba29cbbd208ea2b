// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace orrery {
namespace {

TEST(ThreadPool, DoesEverythingOnceInEveryRound) {
  for (const std::uint32_t threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    std::vector<int> times(17, 0);  // each written by the thread that takes it: no two at once
    for (std::uint32_t round = 0; round < 3000; ++round) {
      const std::uint32_t count = round % 18;
      pool.parallel_for(count, [&](std::uint32_t i) { ++times[i]; });
    }
    // Rounds of more than i things, out of 18 lengths in turn.
    for (std::uint32_t i = 0; i < times.size(); ++i) {
      int expected = 0;
      for (std::uint32_t round = 0; round < 3000; ++round) expected += round % 18 > i ? 1 : 0;
      EXPECT_EQ(times[i], expected) << threads << " threads, " << i;
    }
  }
}

TEST(ThreadPool, ThrowsWhatWorkThrowsAndGoesOn) {
  for (const std::uint32_t threads : {1u, 4u}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 100; ++round) {
      EXPECT_THROW(pool.parallel_for(50,
                                     [&](std::uint32_t i) {
                                       if (i % 7 == 3) throw std::runtime_error("no");
                                     }),
                   std::runtime_error);
      std::vector<int> done(9, 0);
      pool.parallel_for(9, [&](std::uint32_t i) { done[i] = 1; });
      EXPECT_EQ(done, std::vector<int>(9, 1)) << threads;
    }
  }
}

TEST(ThreadPool, WaitsAsleepAndEndsWithoutWork) {
  ThreadPool idle(4);
  ThreadPool pool(3);
  int sum = 0;
  pool.parallel_for(1, [&](std::uint32_t) { ++sum; });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // all fall asleep
  std::vector<int> done(8, 0);
  pool.parallel_for(8, [&](std::uint32_t i) { done[i] = 1; });
  EXPECT_EQ(done, std::vector<int>(8, 1));
  EXPECT_EQ(sum, 1);
}

}  // namespace
}  // namespace orrery
