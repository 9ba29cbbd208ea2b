// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/models/table_share.h"

#include <gtest/gtest.h>

#include <vector>

namespace orrery::workload {
namespace {

Dlrm tables(std::vector<EmbeddingTables> shapes, TableSharding sharding) {
  Dlrm dlrm;
  dlrm.tables = std::move(shapes);
  dlrm.dim = 16;
  dlrm.sharding = sharding;
  return dlrm;
}

TableShare share(const Dlrm& dlrm, std::uint64_t ranks, std::uint64_t rank) {
  const auto made = table_share(dlrm, ranks, rank);
  if (!made) ADD_FAILURE() << to_string(made.error());
  return made ? *made : TableShare{};
}

TEST(Tables, EveryWeightLiesOnOneRankAndEveryRowIsReadOnce) {
  const std::vector<EmbeddingTables> shapes = {{.rows = 1001, .count = 3, .pooling = 7},
                                               {.rows = 50, .count = 4},
                                               {.rows = 7, .pooling = 2}};
  const std::int64_t weights = (3 * 1001 + 4 * 50 + 7) * 16, rows = 3 * 7 + 4 + 2;
  for (const TableSharding sharding :
       {TableSharding::table, TableSharding::row, TableSharding::column}) {
    const Dlrm dlrm = tables(shapes, sharding);
    for (const std::uint64_t ranks : {1, 2, 3, 5, 8, 40}) {
      TableShare sum;
      std::int64_t max_pooled = 0;
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        const TableShare one = share(dlrm, ranks, rank);
        sum.weights += one.weights;
        sum.read += one.read;
        sum.pooled += one.pooled;
        max_pooled = std::max(max_pooled, one.pooled);
        EXPECT_EQ(one.max_pooled, share(dlrm, ranks, 0).max_pooled);
      }
      EXPECT_EQ(sum.weights, weights);
      EXPECT_EQ(max_pooled, share(dlrm, ranks, 0).max_pooled);
      // By row a rank reads rows of as many samples as are its own, and sums up for all.
      const auto n = static_cast<std::int64_t>(ranks);
      EXPECT_EQ(sum.read, (sharding == TableSharding::row ? n : 1) * rows * 16);
      EXPECT_EQ(sum.pooled, (sharding == TableSharding::row ? n : 1) * 8 * 16);
    }
  }
}

TEST(Tables, TheCostliestGoFirstToWhoHasLeast) {
  // 9 + 1 | 5 + 1, 3 + 1 | then the last to either: the one with fewer weights.
  const Dlrm dlrm = tables({{.rows = 10, .pooling = 5},
                            {.rows = 10, .pooling = 9},
                            {.rows = 100, .pooling = 3},
                            {.rows = 10, .pooling = 1}},
                           TableSharding::table);
  EXPECT_EQ(share(dlrm, 2, 0).lookups, 9 + 1);
  EXPECT_EQ(share(dlrm, 2, 1).lookups, 5 + 3);
  EXPECT_EQ(share(dlrm, 2, 0).weights, 2 * 10 * 16);
}

TEST(Tables, LieWhereTheyWerePlaced) {
  Dlrm dlrm = tables({{.rows = 10, .pooling = 5},
                      {.rows = 20, .count = 2, .pooling = 9},
                      {.rows = 100, .pooling = 3}},
                     TableSharding::table);
  dlrm.placement = {1, 1, 0, 1};
  EXPECT_EQ(share(dlrm, 2, 0).lookups, 9);
  EXPECT_EQ(share(dlrm, 2, 1).lookups, 5 + 9 + 3);
  EXPECT_EQ(share(dlrm, 2, 1).tables, 3);
  EXPECT_EQ(share(dlrm, 2, 0).max_pooled, 3 * 16);
  EXPECT_EQ(table_share(dlrm, 1, 0).error().code, Errc::config_range) << "no rank 1";
  dlrm.placement = {0, 1, 0};
  EXPECT_EQ(table_share(dlrm, 2, 0).error().code, Errc::config_range) << "four tables";
}

// Each rank holds what the placement puts there, also for the default placement.
TEST(Tables, PlacementsSayWhatSharesDo) {
  Dlrm dlrm = tables({{.rows = 10, .pooling = 5},
                      {.rows = 20, .count = 2, .pooling = 9},
                      {.rows = 100, .pooling = 3}},
                     TableSharding::table);
  const auto found = table_placement(dlrm, 3);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (std::vector<std::int64_t>{2, 0, 1, 2}));
  std::vector<TableShare> by_itself;
  for (std::uint64_t rank = 0; rank < 3; ++rank) by_itself.push_back(share(dlrm, 3, rank));
  dlrm.placement = *found;
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(share(dlrm, 3, rank).lookups, by_itself[rank].lookups);
    EXPECT_EQ(share(dlrm, 3, rank).weights, by_itself[rank].weights);
    EXPECT_EQ(share(dlrm, 3, rank).max_pooled, by_itself[rank].max_pooled);
  }
  dlrm.placement = {0, 1};
  EXPECT_EQ(table_placement(dlrm, 3).error().code, Errc::config_range);
  dlrm.sharding = TableSharding::row;
  EXPECT_TRUE(table_placement(dlrm, 3)->empty());
}

TEST(Tables, RanksWithoutATableHaveNothing) {
  const Dlrm dlrm = tables({{.rows = 10, .count = 2}}, TableSharding::table);
  EXPECT_EQ(share(dlrm, 3, 1).tables, 1);
  EXPECT_EQ(share(dlrm, 3, 2).tables, 0);
  EXPECT_EQ(share(dlrm, 3, 2).weights, 0);
  EXPECT_EQ(share(dlrm, 3, 2).max_pooled, 16);
}

TEST(Tables, TooManyAreRefused) {
  const Dlrm many = tables(
      {{.rows = 1, .count = 65536}, {.rows = 1, .count = 65536}, {.rows = 1, .count = 1 << 20}},
      TableSharding::table);
  EXPECT_EQ(table_share(many, 2, 0).error().code, Errc::config_range);
  Dlrm large = tables({{.rows = 1'000'000'000'000, .count = 65536}}, TableSharding::row);
  large.dim = 65536;
  EXPECT_EQ(table_share(large, 2, 0).error().code, Errc::config_range);
}

}  // namespace
}  // namespace orrery::workload
