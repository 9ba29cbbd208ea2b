// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/memory_reservation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "orrery/core/system/memory_limit.h"

namespace orrery {
namespace {

TEST(MemoryReservation, IsRefusedIfItNeverFits) {
  const MemoryForTests little(500);
  EXPECT_FALSE(MemoryReservation::reserve(501));
  const auto all = MemoryReservation::reserve(500);
  EXPECT_TRUE(all);
}

// A thread that waited for itself would wait forever.
TEST(MemoryReservation, DoesNotWaitForItsOwnThread) {
  const MemoryForTests little(500);
  const auto first = MemoryReservation::reserve(300), second = MemoryReservation::reserve(300);
  EXPECT_TRUE(first && second);
}

TEST(MemoryReservation, IsReleasedOnce) {
  const MemoryForTests little(500);
  {
    auto first = MemoryReservation::reserve(400);
    MemoryReservation moved = *std::move(first);
    MemoryReservation kept;
    kept = std::move(moved);
  }
  bool fits = false;
  std::thread([&] { fits = MemoryReservation::reserve(400).has_value(); }).join();
  EXPECT_TRUE(fits);
}

// Eight threads of different needs: at no time more than there is, and all of them are served.
TEST(MemoryReservation, ThreadsNeverReserveMoreThanThereIs) {
  const MemoryForTests little(500);
  std::atomic<int> reserved{0}, most{0}, served{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        const int bytes = 100 + 100 * ((thread + i) % 4);
        const auto one = MemoryReservation::reserve(static_cast<std::uint64_t>(bytes));
        if (!one) continue;
        const int now = reserved += bytes;
        for (int known = most; now > known && !most.compare_exchange_weak(known, now);) {
        }
        std::this_thread::yield();
        reserved -= bytes;
        ++served;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 500);
  EXPECT_EQ(served, 400);
}

}  // namespace
}  // namespace orrery
