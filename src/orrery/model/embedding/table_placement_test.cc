// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/embedding/table_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "orrery/core/effort_testing.h"
#include "orrery/core/random.h"
#include "orrery/core/sanitized_testing.h"

namespace orrery::model {
namespace {

/// Tables as the papers draw them: rows and pooling over orders of magnitude, widths of a few
/// kinds.
PlacementTask drawn_task(std::uint64_t seed, std::size_t tables, std::uint32_t devices,
                         double room = 0) {
  PlacementTask task;
  task.devices = devices;
  task.link = 100'000;  // 100 GB/s
  task.latency_us = 10;
  std::uint64_t bits = mix_bits(seed);
  const auto next = [&] { return uniform_double(bits = mix_bits(bits)); };
  for (std::size_t i = 0; i < tables; ++i) {
    TablePart part;
    part.rows = std::round(std::pow(10, 3 + 4 * next()));
    part.features = 16 * std::pow(2, std::floor(4 * next()));
    part.pooling = std::round(std::pow(10, 2 * next()));
    part.bytes = part.rows * part.features * 4;
    part.us = 2 + 4096 * part.pooling * part.features * 4 / 800'000 * (0.5 + next());
    part.exchanged = 4096.0 / devices * part.features * 4;
    task.parts.push_back(part);
  }
  double all = 0, largest = 0;
  for (const TablePart& part : task.parts) {
    all += part.bytes;
    largest = std::max(largest, part.bytes);
  }
  if (room > 0) task.memory = std::max(largest, room * all / devices);
  return task;
}

/// The best of all placements, with devices identified by their first part only.
double exhaustive(const PlacementTask& task) {
  Placement placement(task.parts.size());
  double best = INFINITY;
  const auto place = [&](const auto& self, std::size_t part, std::uint32_t used) -> void {
    if (part == placement.size()) {
      if (fits(task, placement)) best = std::min(best, cost_of(task, placement).us());
      return;
    }
    for (std::uint32_t device = 0; device <= std::min(used, task.devices - 1); ++device) {
      placement[part] = device;
      self(self, part + 1, std::max(used, device + 1));
    }
  };
  place(place, 0, 0);
  return best;
}

TEST(Placement, IsNearlyTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PlacementTask task = drawn_task(seed, 6 + seed % 5, 4, seed % 2 == 0 ? 0 : 1.5);
    const double best = exhaustive(task);
    const auto found = search_placement(task, seed);
    ASSERT_EQ(found.has_value(), std::isfinite(best)) << seed;
    if (!found) continue;
    EXPECT_TRUE(fits(task, *found));
    EXPECT_LE(cost_of(task, *found).us(), 1.02 * best) << seed;
    EXPECT_GE(best, lower_bound_us(task) * (1 - 1e-9)) << seed;
  }
}

TEST(Placement, NeverWorseThanTheSix) {
  for (std::uint64_t seed = 0; seed < rounds(core_testing::case_count(20u, 6u), 4u); ++seed) {
    const PlacementTask task = drawn_task(100 + seed, 40 + 3 * seed, 8, seed % 2 == 0 ? 0 : 1.2);
    const auto found = search_placement(task, seed);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(fits(task, *found));
    EXPECT_EQ(search_placement(task, seed), found) << "the same seed";
    for (std::uint32_t i = 0; i < kSharders; ++i) {
      const auto other = place_with(static_cast<Sharder>(i), task, seed);
      if (!other) continue;
      EXPECT_TRUE(fits(task, *other));
      EXPECT_LE(cost_of(task, *found).us(), cost_of(task, *other).us()) << seed << " " << i;
      EXPECT_GE(cost_of(task, *other).us(), lower_bound_us(task) * (1 - 1e-9));
    }
  }
}

// What is not tried in full, because it cannot help, would not have helped.
TEST(Placement, NoMoveAndNoChangeOfTwoIsBetter) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    PlacementTask task = drawn_task(300 + seed, 20 + seed, 6, seed % 2 == 0 ? 0 : 1.3);
    if (seed % 4 == 3) task.link = 0;
    const auto found = search_placement(task, seed);
    ASSERT_TRUE(found.has_value());
    const double least = cost_of(task, *found).us() * (1 - 1e-9);
    const auto is_no_better = [&](const Placement& other) {
      return !fits(task, other) || cost_of(task, other).us() >= least;
    };
    for (std::size_t a = 0; a < found->size(); ++a) {
      Placement other = *found;
      for (other[a] = 0; other[a] < task.devices; ++other[a])
        EXPECT_TRUE(is_no_better(other)) << seed << ": " << a << " to " << other[a];
      for (std::size_t b = 0; b < a; ++b) {
        other = *found;
        std::swap(other[a], other[b]);
        EXPECT_TRUE(is_no_better(other)) << seed << ": " << a << " with " << b;
      }
    }
  }
}

// As few parts to a device as all of them need, and one more.
TEST(Placement, DevicesHoldNoMorePartsThanTheyMay) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    PlacementTask task = drawn_task(200 + seed, 6 + seed % 4, 4, seed % 2 == 0 ? 0 : 2);
    const auto free = search_placement(task, seed);
    task.max_parts = static_cast<std::uint32_t>((task.parts.size() + 3) / 4 + seed % 2);
    const double best = exhaustive(task);
    const auto found = search_placement(task, seed);
    ASSERT_TRUE(found.has_value() && free.has_value()) << seed;
    EXPECT_TRUE(fits(task, *found));
    EXPECT_LE(cost_of(task, *found).us(), 1.02 * best) << seed;
    EXPECT_GE(cost_of(task, *found).us(), cost_of(task, *free).us() * (1 - 1e-9)) << seed;
    for (std::uint32_t i = 0; i < kSharders; ++i)
      if (const auto other = place_with(static_cast<Sharder>(i), task, seed)) {
        EXPECT_TRUE(fits(task, *other)) << name(static_cast<Sharder>(i));
        EXPECT_LE(cost_of(task, *found).us(), cost_of(task, *other).us());
      }
    task.max_parts = static_cast<std::uint32_t>((task.parts.size() - 1) / 4);
    EXPECT_FALSE(search_placement(task, seed).has_value()) << "too few for all parts";
  }
}

// Two devices, three parts: 6 on one, 3 + 3 on the other, and the cost of an uneven exchange.
TEST(Placement, CostsByHand) {
  PlacementTask task;
  task.devices = 2;
  task.link = 10;
  task.latency_us = 1;
  task.parts = {{6, 100, 40, 1, 1, 1}, {3, 50, 10, 1, 1, 1}, {3, 50, 10, 1, 1, 1}};
  const PlacementCost cost = cost_of(task, {0, 1, 1});
  EXPECT_DOUBLE_EQ(cost.lookup_us, 6);
  EXPECT_DOUBLE_EQ(cost.exchange_us, 2 * (1 + 40 / 10.0));
  EXPECT_DOUBLE_EQ(lower_bound_us(task), 6 + 2 * (1 + 60 * 0.5 / 10));
  task.memory = 100;
  EXPECT_TRUE(fits(task, {0, 1, 1}));
  EXPECT_FALSE(fits(task, {0, 0, 1}));
  task.max_parts = 1;
  EXPECT_FALSE(fits(task, {0, 1, 1}));
  task.max_parts = 2;
  EXPECT_TRUE(fits(task, {0, 1, 1}));
  task.memory = 99;
  EXPECT_FALSE(search_placement(task, 1).has_value());
}

}  // namespace
}  // namespace orrery::model
