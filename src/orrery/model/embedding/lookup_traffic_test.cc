// SPDX-License-Identifier: Apache-2.0
//
// Lin et al.'s heuristic against its formulas by hand, and against what their profiler counted.
#include "orrery/model/embedding/lookup_traffic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "orrery/model/embedding/cache_hits.h"
#include "orrery/model/embedding/lin_devices.h"

namespace orrery::model {
namespace {

const LinDevice& device_named(std::string_view name) {
  for (const LinDevice& device : lin_devices())
    if (device.name == name) return device;
  throw std::runtime_error("no such device");
}

TEST(Lookup, TrafficByHand) {
  // 26 tables, 2048 bags of 10 rows of 40 numbers: rows of 160 bytes, indices of 40 in 64.
  const Lookup is{26, 2048, 10, 100'000, 40};
  const LookupTraffic moved = forward_traffic(is, 0.25);
  EXPECT_DOUBLE_EQ(moved.memory, 26.0 * 2048 * (32 + 64 + 64 + 160 + 0.75 * 1600));
  EXPECT_DOUBLE_EQ(moved.cache, 26.0 * 2048 * 0.25 * 1600);
  EXPECT_DOUBLE_EQ(backward_bytes(is), 26.0 * 2048 * (32 + 64 + 64 + 2 * 1600 + 160));
  // Rows of 33 numbers, 132 bytes, take five sectors.
  EXPECT_DOUBLE_EQ(forward_traffic({1, 1, 1, 9, 33}, 0).memory, 32 + 64 + 32 + 160 + 160);
}

TEST(Lookup, CacheIsSharedByTheTablesAtWork) {
  const LookupDevice v100 = device_named("V100").for_lookups();
  // 80 · 45 = 3600 warps: two tables of 2048 bags at a time. 0.9 · 6 MiB / 2 / 4 / 64 = 11,059.2.
  EXPECT_EQ(cached_rows({8, 2048, 20, 1'000'000, 64}, v100), 11'059);
  EXPECT_EQ(cached_rows({8, 4096, 20, 1'000'000, 64}, v100), 22'118);
  EXPECT_EQ(cached_rows({8, 4096, 20, 500, 64}, v100), 500);
  EXPECT_EQ(cached_rows({8, 4096, 2, 1'000'000, 64}, v100), 8192);
}

TEST(Lookup, TimesByHand) {
  const LookupDevice v100 = device_named("V100").for_lookups();
  const Lookup wide{8, 4096, 20, 1'000'000, 128}, narrow{8, 4096, 20, 1'000'000, 32};
  const LookupTraffic moved = forward_traffic(wide, 0.5);
  EXPECT_DOUBLE_EQ(forward_us(wide, 0.5, v100), v100.memory(std::llround(moved.memory)));
  EXPECT_DOUBLE_EQ(forward_us(narrow, 0, v100),
                   1.55 * v100.memory(std::llround(forward_traffic(narrow, 0).memory)));
  // All from the cache: 8 · 4096 · 20 · 512 bytes at 2847.457 GB/s take 117.8 us, the rest of it
  // comes from memory meanwhile.
  EXPECT_NEAR(forward_us(wide, 1, v100), 117.84, 0.01);
  EXPECT_EQ(narrow_factor(64), 1.1);
  EXPECT_EQ(narrow_factor(65), 1);
  EXPECT_EQ(narrow_factor(33), 1.1);
  EXPECT_DOUBLE_EQ(backward_us(wide, v100), v100.memory(std::llround(backward_bytes(wide))));
  LookupDevice slow = v100;
  slow.peak = 1;  // GFLOP/s: 4 · 20 · 32 of each bag
  EXPECT_DOUBLE_EQ(backward_us(wide, slow), 8.0 * 4096 * 4 * 20 * 32 / 1e3);
}

TEST(Lookup, WholeBagsInTheCache) {
  EXPECT_DOUBLE_EQ(bag_hits({1, 1, 3, 10, 8}, 5), 5.0 / 10 * 4 / 9 * 3 / 8);
  EXPECT_EQ(bag_hits({1, 1, 3, 10, 8}, 2), 0);
  EXPECT_EQ(bag_hits({1, 1, 3, 10, 8}, 10), 1);
  EXPECT_EQ(bag_hits({1, 1, 20, 10, 8}, 10), 1);
}

// What nvprof counted on a Volta GPU with 80 processors, forward passes of table-batched
// embeddings. Source: ml_perf_model, notebook legacy/exp_gpu_performance_models, cell 17. There the
// kernel had `warps` rows a block instead of FBGEMM's 45.
struct Counted {
  Lookup lookup;
  std::int64_t warps;
  double memory_bytes, cache_bytes;
};
const Counted kCounted[] = {{{32, 128, 8, 1000, 32}, 128, 3883808, 3564800},
                            {{32, 128, 8, 1000, 64}, 64, 7749056, 8253056},
                            {{32, 128, 8, 1000, 128}, 32, 14916960, 17836000},
                            {{32, 128, 8, 1000, 256}, 16, 27802208, 36780160},
                            {{32, 128, 16, 1000, 32}, 128, 5538688, 5222080}};

TEST(Lookup, MemoryTrafficIsWhatTheProfilerCounted) {
  double published = 0, filling = 0;
  for (const Counted& row : kCounted) {
    LookupDevice v100 = device_named("V100").for_lookups();
    // Three of the rows have so many rows a block that all of them work at the same 10,240 bags.
    v100.warps_each = row.warps;
    const std::int64_t cached = cached_rows(row.lookup, v100);
    const double lin =
        forward_traffic(row.lookup, lin_hits(1000, row.lookup.lookups(), cached)).memory;
    const double even =
        forward_traffic(row.lookup, uniform_hits(1000, row.lookup.lookups(), cached)).memory;
    EXPECT_NEAR(lin / row.memory_bytes, 1, 0.12) << row.lookup.features;
    EXPECT_NEAR(even / row.memory_bytes, 1, 0.13) << row.lookup.features;
    published += std::abs(lin / row.memory_bytes - 1) / 5;
    filling += std::abs(even / row.memory_bytes - 1) / 5;
  }
  EXPECT_NEAR(published, 0.058, 0.005);
  EXPECT_NEAR(filling, 0.08, 0.02);
}

// The same notebook's cells 15 and 16: backward passes with SGD, 4096 bags of rows of 128 numbers
// in 32 tables of 500,000 rows.
TEST(Lookup, BackwardTrafficIsWhatTheProfilerCounted) {
  for (const auto& [pooling, bytes] : {std::pair<std::int64_t, double>{16, 2293410720},
                                       {32, 4532462080},
                                       {38, 5374355008},
                                       {64, 9026717024},
                                       {128, 18002079072}})
    EXPECT_NEAR(backward_bytes({32, 4096, pooling, 500'000, 128}) / bytes, 1, 0.04) << pooling;
}

}  // namespace
}  // namespace orrery::model
