// SPDX-License-Identifier: Apache-2.0
//
// Formulas of hit rates against caches simulated lookup by lookup.
#include "orrery/model/embedding/cache_hits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <random>
#include <unordered_map>
#include <vector>

#include "orrery/model/embedding/index_stream.h"
#include "orrery/model/embedding/lookup_traffic.h"

namespace orrery::model {
namespace {

std::vector<std::int64_t> drawn_evenly(std::int64_t rows, std::int64_t lookups,
                                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < lookups; ++i)
    indices.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)));
  return indices;
}

/// The plainest cache: a list of rows, the one used last in front.
double listed_hits(const std::vector<std::int64_t>& indices, std::size_t cached) {
  std::list<std::int64_t> rows;
  std::unordered_map<std::int64_t, std::list<std::int64_t>::iterator> places;
  std::size_t hits = 0;
  for (const std::int64_t index : indices) {
    const auto found = places.find(index);
    if (found != places.end()) {
      ++hits;
      rows.erase(found->second);
    } else if (rows.size() == cached) {
      places.erase(rows.back());
      rows.pop_back();
    }
    rows.push_front(index);
    places[index] = rows.begin();
  }
  return static_cast<double>(hits) / static_cast<double>(indices.size());
}

/// A cache that replaces any of its rows.
double random_hits(const std::vector<std::int64_t>& indices, std::size_t cached) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> rows;
  std::unordered_map<std::int64_t, std::size_t> places;
  std::size_t hits = 0;
  for (const std::int64_t index : indices) {
    if (places.contains(index)) {
      ++hits;
      continue;
    }
    std::size_t at = rows.size();
    if (at < cached) {
      rows.push_back(index);
    } else {
      at = random() % cached;
      places.erase(rows[at]);
      rows[at] = index;
    }
    places[index] = at;
  }
  return static_cast<double>(hits) / static_cast<double>(indices.size());
}

TEST(SimulatedHits, AreThoseOfAListOfRows) {
  for (const std::int64_t cached : {1, 2, 50, 99, 1000}) {
    const auto even = drawn_evenly(100, 3000, 5);
    EXPECT_DOUBLE_EQ(simulated_hits(even, cached),
                     listed_hits(even, static_cast<std::size_t>(cached)));
  }
  EXPECT_DOUBLE_EQ(simulated_hits(std::vector<std::int64_t>{1, 2, 1, 3, 2, 2}, 2), 2.0 / 6);
  EXPECT_EQ(simulated_hits({}, 4), 0);
}

struct GridPoint {
  std::int64_t rows, lookups, cached;
};
std::vector<GridPoint> grid() {
  std::vector<GridPoint> points;
  for (const std::int64_t rows : {100, 1000, 10'000, 100'000, 1'000'000})
    for (const std::int64_t lookups : {128, 1024, 8192, 65'536})
      for (const std::int64_t cached : {16, 128, 512, 2048, 8192, 32'768, 131'072})
        points.push_back({rows, lookups, std::min({cached, rows, lookups})});
  return points;
}

TEST(EvenHits, AreThoseOfAnyCache) {
  double worst = 0, worst_lin = 0, worst_reuse = 0;
  for (const GridPoint& at : grid()) {
    const auto indices = drawn_evenly(at.rows, at.lookups, 11);
    const double lru = simulated_hits(indices, at.cached);
    const double any = random_hits(indices, static_cast<std::size_t>(at.cached));
    const double said = uniform_hits(at.rows, at.lookups, at.cached);
    // Few lookups: what one draw is off by is chance, of which 1 / (2 √n) is the deviation.
    const double chance = 0.003 + 0.8 / std::sqrt(static_cast<double>(at.lookups));
    EXPECT_NEAR(said, lru, chance) << at.rows << ' ' << at.lookups << ' ' << at.cached;
    EXPECT_NEAR(said, any, chance) << at.rows << ' ' << at.lookups << ' ' << at.cached;
    const double by_reuse = reuse_hits(groups_of(reuse_of(indices)), at.cached);
    worst_reuse = std::max(worst_reuse, std::abs(by_reuse - lru));
    worst = std::max(worst, std::abs(said - lru));
    worst_lin = std::max(worst_lin, std::abs(lin_hits(at.rows, at.lookups, at.cached) - lru));
  }
  EXPECT_LE(worst, 0.03);
  EXPECT_LE(worst_reuse, 0.03);
  EXPECT_GT(worst_lin, 0.05);  // it counts no hits while the cache fills
  EXPECT_LT(worst_lin, 0.2);
  RecordProperty("worst_even", std::to_string(worst));
  RecordProperty("worst_reuse", std::to_string(worst_reuse));
  RecordProperty("worst_lin", std::to_string(worst_lin));
}

/// A V100, an A100 and one with 3 MiB, tables of several sizes: caches as the heuristic has them.
std::vector<GridPoint> device_grid() {
  std::vector<GridPoint> points;
  for (const std::int64_t mib : {3, 6, 40}) {
    const LookupDevice device{80, static_cast<double>(mib << 20), 0, 0, {}};
    for (const std::int64_t rows : {1000, 10'000, 100'000, 1'000'000})
      for (const std::int64_t batch : {128, 512, 2048, 4096})
        for (const std::int64_t pooling : {1, 8, 16})
          for (const std::int64_t features : {16, 64, 128})
            points.push_back(
                {rows, batch * pooling, cached_rows({1, batch, pooling, rows, features}, device)});
  }
  return points;
}

TEST(EvenHits, AreThoseOfTheCachesOfDevices) {
  double worst = 0, worst_lin = 0;
  int far_lin = 0, points = 0;
  for (const GridPoint& at : device_grid()) {
    const double lru = simulated_hits(drawn_evenly(at.rows, at.lookups, 17), at.cached);
    worst = std::max(worst, std::abs(uniform_hits(at.rows, at.lookups, at.cached) - lru));
    const double off = std::abs(lin_hits(at.rows, at.lookups, at.cached) - lru);
    worst_lin = std::max(worst_lin, off);
    if (off > 0.03) ++far_lin;
    ++points;
  }
  EXPECT_LE(worst, 0.03);
  // The formula as published is farther off where the cache fills for much of the batch.
  EXPECT_LT(worst_lin, 0.14);
  EXPECT_GT(far_lin, 0);
  EXPECT_LT(far_lin, points / 10);
  RecordProperty("device_points", points);
  RecordProperty("device_far_lin", far_lin);
  RecordProperty("device_worst_even", std::to_string(worst));
  RecordProperty("device_worst_lin", std::to_string(worst_lin));
}

TEST(LinHits, AreAsPublished) {
  // All rows fit: 1 - unique / lookups, unique = 1000 (1 - (1 - 1/1000)^1024).
  EXPECT_NEAR(lin_hits(1000, 1024, 1000), 1 - 641.0 / 1024, 1e-3);
  // They do not: 1 - (552 + (1024 - 552) 448/1000) / 1024.
  EXPECT_NEAR(lin_hits(1000, 1024, 552), 1 - (552 + 472 * 0.448) / 1024, 1e-12);
  // Below it by what hits while the cache fills, and never above.
  for (const GridPoint& at : grid())
    EXPECT_LE(lin_hits(at.rows, at.lookups, at.cached),
              uniform_hits(at.rows, at.lookups, at.cached) + 1.0 / static_cast<double>(at.lookups));
  EXPECT_EQ(lin_hits(0, 10, 1), 0);
}

/// Sets of facebookresearch/dlrm_datasets, 2021 and 2022: shares of rows.
constexpr ReuseHistogram kMeasured[] = {
    {.473, .152, .139, .112, .072, .032, .011, .005, .002, .002},
    {.342, .144, .149, .138, .112, .068, .029, .010, .004, .002, .001, .001}};

TEST(ReuseHits, AreBetterWhereIndicesAreSkewed) {
  double reuse_off = 0, brief_off = 0, even_off = 0, points = 0, worst = 0;
  for (const ReuseHistogram& shares : kMeasured) {
    StreamRequest request{4096, 16, 1'000'000, shares, 3};
    const auto plan = plan_stream(request);
    ASSERT_TRUE(plan) << to_string(plan.error());
    const auto stream = make_stream(request, *plan);
    for (const std::int64_t cached : {64, 256, 1024, 4096, 16'384}) {
      const double lru = simulated_hits(stream, cached);
      const double said = reuse_hits(groups_of(shares, 65'536), cached);
      worst = std::max(worst, std::abs(said - lru));
      reuse_off += std::abs(said - lru);
      const ReuseSummary brief = summary_of(groups_of(shares, 65'536));
      brief_off += std::abs(reuse_hits(groups_of(brief, 65'536), cached) - lru);
      even_off += std::abs(uniform_hits(1'000'000, 65'536, cached) - lru);
      ++points;
    }
  }
  EXPECT_LE(worst, 0.03);
  EXPECT_LT(reuse_off / points, 0.02);
  EXPECT_LT(brief_off / points, 0.1);  // three numbers instead of seventeen
  EXPECT_GT(even_off / points, 0.2);   // a million rows read evenly are hardly read twice
  RecordProperty("reuse_off", std::to_string(reuse_off / points));
  RecordProperty("brief_off", std::to_string(brief_off / points));
  RecordProperty("even_off", std::to_string(even_off / points));
}

TEST(Reuse, SummariesTellOftenFromSeldom) {
  // 900 rows once or twice, 100 rows a thousand times.
  const std::vector<RowGroup> groups = {{500, 1}, {400, 2}, {100, 1000}};
  EXPECT_EQ(summary_of(groups), (ReuseSummary{1000, 100, 100'000}));
  double rows = 0, lookups = 0;
  for (const RowGroup& group : groups_of(summary_of(groups), 101'300)) {
    rows += group.rows;
    lookups += group.rows * static_cast<double>(group.times);
  }
  EXPECT_NEAR(rows, 1000, 1e-9);
  EXPECT_NEAR(lookups, 101'300, 1e-6);
  EXPECT_EQ(summary_of(std::vector<RowGroup>{{7, 3}}), (ReuseSummary{7, 0, 0}));
  EXPECT_TRUE(groups_of(ReuseSummary{}, 100).empty());
  // What cannot be is made to be.
  for (const ReuseSummary& odd :
       {ReuseSummary{500, 0, 0}, {5, 500, 1}, {50, 20, 1000}, {50, 50, 1}}) {
    lookups = 0;
    for (const RowGroup& group : groups_of(odd, 100)) {
      EXPECT_GE(group.times, 1);
      lookups += group.rows * static_cast<double>(group.times);
    }
    EXPECT_NEAR(lookups, 100, 1e-9);
  }
}

TEST(Hits, StayShares) {
  EXPECT_EQ(uniform_hits(10, 0, 5), 0);
  EXPECT_EQ(uniform_hits(1, 100, 1), 0.99);
  EXPECT_EQ(uniform_hits(1, 100, 0), 0);
  EXPECT_EQ(reuse_hits({}, 5), 0);
  for (const std::int64_t rows : {1ll, 7ll, 1ll << 40}) {
    for (const std::int64_t lookups : {1ll, 1ll << 20, 1ll << 45}) {
      for (const std::int64_t cached : {0ll, 1ll, 1ll << 30}) {
        const double said = uniform_hits(rows, lookups, cached);
        EXPECT_TRUE(said >= 0 && said <= 1) << rows << ' ' << lookups << ' ' << cached;
      }
    }
  }
}

}  // namespace
}  // namespace orrery::model
