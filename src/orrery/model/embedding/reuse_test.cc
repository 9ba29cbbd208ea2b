// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/embedding/reuse.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

namespace orrery::model {
namespace {

double sum_of(const ReuseHistogram& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

TEST(Reuse, BinsEndAtPowersOfTwo) {
  EXPECT_EQ(reuse_bin(1), 0u);
  EXPECT_EQ(reuse_bin(2), 1u);
  EXPECT_EQ(reuse_bin(3), 2u);
  EXPECT_EQ(reuse_bin(4), 2u);
  EXPECT_EQ(reuse_bin(5), 3u);
  EXPECT_EQ(reuse_bin(32768), 15u);
  EXPECT_EQ(reuse_bin(32769), 16u);
  EXPECT_EQ(reuse_bin(1ll << 40), 16u);
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) {
    EXPECT_EQ(reuse_bin(reuse_bin_minimum(bin)), bin);
    EXPECT_EQ(reuse_bin(reuse_bin_maximum(bin)), bin);
  }
}

TEST(Reuse, CountsRowsAndLookups) {
  // Row 7 three times, 2 and 9 once, 0 twice.
  const std::vector<std::int64_t> indices = {7, 2, 0, 7, 9, 7, 0};
  const Reuse is = reuse_of(indices);
  EXPECT_EQ(is.lookups, 7);
  EXPECT_EQ(is.rows, 4);
  EXPECT_EQ(is.largest, 9);
  EXPECT_EQ(is.most, 3);
  EXPECT_EQ(is.rows_in[0], 2);
  EXPECT_EQ(is.rows_in[1], 1);
  EXPECT_EQ(is.rows_in[2], 1);
  EXPECT_EQ(is.lookups_in[2], 3);
  EXPECT_DOUBLE_EQ(is.shares()[0], 0.5);
  EXPECT_DOUBLE_EQ(sum_of(is.shares()), 1);
  EXPECT_EQ(reuse_of({}).shares(), ReuseHistogram{});
}

TEST(Reuse, TablesAddUp) {
  Reuse both = reuse_of(std::vector<std::int64_t>{1, 1, 2});
  both += reuse_of(std::vector<std::int64_t>{5, 1});
  EXPECT_EQ(both.lookups, 5);
  EXPECT_EQ(both.rows, 4);
  EXPECT_EQ(both.rows_in[0], 3);
  EXPECT_EQ(both.largest, 5);
}

TEST(Reuse, GroupsHaveTheLookups) {
  ReuseHistogram shares{};
  shares[0] = 0.5;
  shares[3] = 0.3;
  shares[16] = 0.2;
  double lookups = 0;
  for (const RowGroup& group : groups_of(shares, 1'000'000))
    lookups += group.rows * static_cast<double>(group.times);
  EXPECT_NEAR(lookups, 1e6, 1e-3);
}

TEST(Reuse, EvenIndicesAreBinomial) {
  std::mt19937_64 random(3);
  for (const auto& [rows, lookups] : {std::pair{1000, 100}, std::pair{1000, 5000},
                                      std::pair{50, 100000}, std::pair{100000, 60000}}) {
    std::vector<std::int64_t> indices;
    for (int i = 0; i < lookups; ++i)
      indices.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)));
    const ReuseHistogram drawn = reuse_of(indices).shares(), said = uniform_shares(rows, lookups);
    EXPECT_NEAR(sum_of(said), 1, 1e-12);
    for (std::size_t bin = 0; bin < kReuseBins; ++bin)
      EXPECT_NEAR(drawn[bin], said[bin], rows < 100 ? 0.16 : 0.04) << rows << " bin " << bin;
  }
  EXPECT_EQ(uniform_shares(1, 4)[2], 1);
}

}  // namespace
}  // namespace orrery::model
