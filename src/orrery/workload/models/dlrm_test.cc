// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/operators/lowered_sums_testing.h"

namespace orrery::workload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// MLPerf's first DLRM (Criteo Terabyte) but for its tables, of which there are 32 alike.
Spec dlrm(std::int64_t ranks, TableSharding sharding = TableSharding::table) {
  Spec spec;
  spec.model.kind = ModelKind::dlrm;
  spec.model.dlrm = Dlrm{.tables = {{.rows = 1'000'000, .count = 32, .pooling = 10}},
                         .dim = 128,
                         .bottom_mlp = {512, 256, 128},
                         .top_mlp = {1024, 1024, 512, 256, 1},
                         .sharding = sharding};
  spec.parallel.dp = ranks;
  spec.batch.micro = 2048;
  return spec;
}
constexpr std::int64_t kSamples = 2048;
constexpr std::int64_t kColumns = 32 * 128;
constexpr std::int64_t kPairs = 33 * 32 / 2;
constexpr std::int64_t kBottom = 13 * 512 + 512 * 256 + 256 * 128;
constexpr std::int64_t kTopMlp = (128 + kPairs) * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256;
constexpr std::int64_t kBiases = 512 + 256 + 128 + 1024 + 1024 + 512 + 256 + 1;

LoweredModel lower_tables(const Spec& spec, std::int32_t rank = -1) {
  Position where;
  where.table = rank;
  auto model = lower(spec, Mesh(spec), where);
  if (!model) ADD_FAILURE() << to_string(model.error());
  return model ? *model : LoweredModel{};
}

TEST(DlrmModel, ProductsAndWeights) {
  for (const std::int64_t ranks : {1, 8}) {
    const Spec spec = dlrm(ranks);
    const Sums sums = sums_of(lower_tables(spec));
    EXPECT_EQ(sums.forward, 2 * kSamples * (kBottom + kTopMlp + kPairs * 128));
    // What is known of users wants no gradient.
    EXPECT_EQ(sums.backward(), 2 * sums.forward - 2 * kSamples * 13 * 512);
    EXPECT_EQ(sums.weights, kBottom + kTopMlp + kBiases + 32LL * 1'000'000 * 128 / ranks);
  }
  EXPECT_EQ(sums_of(lower_tables(dlrm(1))).weights, count_parameters(dlrm(1).model).total);
}

TEST(DlrmModel, TablesAreNotReducedOverDataParallelRanks) {
  const Weights weights = lower_tables(dlrm(8)).parts[0].part.weights;
  EXPECT_EQ(weights.tables, 32LL * 1'000'000 * 128 / 8);
  EXPECT_EQ(weights.expert, 0);
  EXPECT_EQ(weights.dense, kBottom + 512 + 256 + 128);
}

TEST(DlrmModel, LookupsReadRowsForTheGlobalBatch) {
  // Rows, 8 bytes of index each, and the sums: for all samples, of a rank's own tables.
  const std::int64_t all = kSamples * 8, rows = all * 4 * 10;
  const Op op = only_op(lower_tables(dlrm(8)).parts[0].forward, "embedding");
  EXPECT_EQ(op.bytes, 2 * rows * 128 + 8 * rows + 2 * all * 4 * 128);
  EXPECT_EQ(op.vector, all * 4 * 9 * 128);
  // By row as many rows are read, but every rank has sums of all tables.
  const Op by_row =
      only_op(lower_tables(dlrm(8, TableSharding::row)).parts[0].forward, "embedding");
  EXPECT_EQ(by_row.bytes, 2 * rows * 128 + 8 * rows + 2 * all * kColumns);
  // By column it reads a piece of every row.
  const Op by_column =
      only_op(lower_tables(dlrm(8, TableSharding::column)).parts[0].forward, "embedding");
  EXPECT_EQ(by_column.bytes, 2 * rows * 128 + 8 * 8 * rows + 2 * all * 4 * 128);
}

TEST(DlrmModel, WhatWasLookedUpGoesToItsSamples) {
  const std::int64_t size = 2 * kSamples * 8 * kColumns / 8;  // b · B_global · T_local · d
  for (const TableSharding sharding : {TableSharding::table, TableSharding::column}) {
    const LoweredModel model = lower_tables(dlrm(8, sharding));
    EXPECT_THAT(collectives(model.parts[0].forward),
                ElementsAre("embedding.exchange all_to_all dp " + std::to_string(size)));
    EXPECT_THAT(collectives(model.parts[0].backward),
                ElementsAre("embedding.exchange.dgrad all_to_all dp " + std::to_string(size)));
  }
  const LoweredModel by_row = lower_tables(dlrm(8, TableSharding::row));
  EXPECT_THAT(collectives(by_row.parts[0].forward),
              ElementsAre("embedding.exchange reduce_scatter dp " +
                          std::to_string(2 * kSamples * 8 * kColumns)));
  EXPECT_THAT(collectives(by_row.parts[0].backward),
              ElementsAre("embedding.exchange.dgrad all_gather dp " +
                          std::to_string(2 * kSamples * kColumns)));
  EXPECT_THAT(collectives(lower_tables(dlrm(1)).parts[0].forward), IsEmpty());
}

TEST(DlrmModel, TheExchangeRunsBesideTheBottomMlp) {
  const LoweredPart part = lower_tables(dlrm(8)).parts[0];
  EXPECT_LT(place_of(part.forward, "embedding.exchange"), place_of(part.forward, "bottom"));
  EXPECT_FALSE(waits_for(ops_named(part.forward, "bottom").front(), stream::ep));
  EXPECT_TRUE(waits_for(only_op(part.forward, "interaction"), stream::ep));
  EXPECT_LT(place_of(part.backward, "embedding.exchange.dgrad"),
            place_of(part.backward, "bottom.dgrad"));
  // The update waits for the gradients that came, and may itself be put off.
  const Stream marked = only_op(part.backward, "embedding.exchange.dgrad").marks;
  ASSERT_NE(marked, stream::none);
  EXPECT_TRUE(waits_for(only_op(part.backward, "embedding.wgrad"), marked));
}

TEST(DlrmModel, RanksWithUnequalTablesDoUnequalWorkAndEqualExchanges) {
  Spec spec = dlrm(4);
  spec.model.dlrm->tables = {{.rows = 100, .count = 5, .pooling = 3}, {.rows = 7, .count = 1}};
  std::int64_t weights = 0, flops = 0;
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    const LoweredModel model = lower_tables(spec, rank);
    weights += model.parts[0].part.weights.tables;
    flops += only_op(model.parts[0].forward, "embedding").vector;
    EXPECT_EQ(collectives(model.parts[0].forward),
              collectives(lower_tables(spec, 0).parts[0].forward));
  }
  EXPECT_EQ(weights, (500 + 7) * 128);
  EXPECT_EQ(flops, kSamples * 4 * 5 * 2 * 128);  // two additions for three rows
}

TEST(DlrmModel, TheFirstMlperfModelHasItsWeights) {
  // MLPerf training v0.7, DLRM on Criteo Terabyte with at most 40 M rows per table: 26 tables of
  // 187,767,399 rows together and 128 columns; MLPs 13-512-256-128 and 479-1024-1024-512-256-1.
  Spec spec = dlrm(1);
  spec.model.dlrm->tables = {{.rows = 187'767'399 - 25}, {.rows = 1, .count = 25}};
  const Sums sums = sums_of(lower_tables(spec));
  EXPECT_EQ(sums.weights, 187'767'399LL * 128 + 2'368'897);
  // 26 tables: 27 · 26 / 2 = 351 pairs, 479 inputs of the top MLP.
  EXPECT_EQ(only_op(lower_tables(spec).parts[0].forward, "interaction").matmul,
            2 * kSamples * 351 * 128);
}

TEST(DlrmModel, TooManyTablesAreRefused) {
  Spec spec = dlrm(2);
  spec.model.dlrm->tables = {{.rows = 1, .count = 1 << 21}};
  EXPECT_EQ(lower(spec, Mesh(spec), {}).error().code, Errc::config_range);
}

}  // namespace
}  // namespace orrery::workload
