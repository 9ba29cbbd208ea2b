// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/systolic/systolic_array.h"

#include <gtest/gtest.h>

#include <limits>

#include "orrery/model/kernels/systolic/systolic_model.h"

namespace orrery::model {
namespace {

SystolicArray square_array(std::int64_t side, DataFlow flow) {
  SystolicArray array;
  array.rows = array.columns = side;
  array.flow = flow;
  array.ifmap_bytes = array.filter_bytes = array.ofmap_bytes = 64 << 10;
  array.clock = 1e9;
  return array;
}

constexpr DataFlow kFlows[] = {DataFlow::output_stationary, DataFlow::weight_stationary,
                               DataFlow::input_stationary};

// SCALE-Sim's own runs: 32×32, bandwidth 10, SRAMs of 64 kB.
struct ScaleSimRun {
  SystolicProduct product;
  std::int64_t compute[3];
  std::int64_t total[3];
  double utilization[3];
};
constexpr ScaleSimRun kRuns[] = {
    {{256, 128, 512}, {18367, 22399, 28415}, {22665, 26698, 32714}, {89.2, 73.15, 57.66}},
    {{100, 70, 300}, {4343, 5819, 6559}, {7574, 8972, 9712}, {47.22, 35.24, 31.27}}};

TEST(Systolic, HasTheCyclesOfSixRunsOfScaleSim) {
  for (const ScaleSimRun& run : kRuns) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto cost = systolic_cost(square_array(32, kFlows[i]), run.product);
      ASSERT_TRUE(cost);
      EXPECT_EQ(cost->cycles, run.compute[i]);
      EXPECT_EQ(cost->total, run.compute[i]);  // no bandwidth, no waiting
      EXPECT_NEAR(100 * cost->utilization, run.utilization[i], 0.01);
    }
  }
}

TEST(Systolic, ModelsTheFirstFillAFewPercentShort) {
  for (const ScaleSimRun& run : kRuns) {
    for (std::size_t i = 0; i < 3; ++i) {
      SystolicArray array = square_array(32, kFlows[i]);
      array.bandwidth = 10;
      array.stalls = false;
      const auto cost = systolic_cost(array, run.product);
      ASSERT_TRUE(cost);
      const double share = static_cast<double>(cost->total) / static_cast<double>(run.total[i]);
      EXPECT_GT(share, 0.95);
      EXPECT_LT(share, 0.99);
    }
  }
}

/// All accesses counted one fold at a time.
SystolicCost walked_cost(const SystolicArray& array, const SystolicProduct& p) {
  SystolicCost cost;
  const bool os = array.flow == DataFlow::output_stationary;
  const bool ws = array.flow == DataFlow::weight_stationary;
  const std::int64_t down = os ? p.m : p.k, across = os || ws ? p.n : p.m;
  const std::int64_t time = os ? p.k : (ws ? p.m : p.n);
  for (std::int64_t c = 0; c < across; c += array.columns) {
    for (std::int64_t r = 0; r < down; r += array.rows) {
      const std::int64_t rows = std::min(array.rows, down - r);
      const std::int64_t columns = std::min(array.columns, across - c);
      ++cost.folds;
      (array.flow == DataFlow::input_stationary ? cost.filter : cost.ifmap).sram_reads +=
          rows * time;
      if (os) cost.filter.sram_reads += columns * time;
      if (!os) (ws ? cost.filter : cost.ifmap).sram_reads += rows * columns;
      cost.ofmap.sram_writes += os ? rows * columns : columns * time;
      if (!os && r > 0) cost.ofmap.sram_reads += columns * time;
    }
  }
  return cost;
}

TEST(Systolic, CountsAccessesAsAWalkOverFoldsDoes) {
  for (const DataFlow flow : kFlows) {
    for (const SystolicProduct p : {SystolicProduct{256, 128, 512}, SystolicProduct{100, 70, 300},
                                    SystolicProduct{1, 1, 1}, SystolicProduct{33, 7, 65}}) {
      SystolicArray array = square_array(32, flow);
      array.columns = 16;
      const auto cost = systolic_cost(array, p);
      ASSERT_TRUE(cost);
      const SystolicCost other = walked_cost(array, p);
      EXPECT_EQ(cost->folds, other.folds);
      EXPECT_EQ(cost->ifmap.sram_reads, other.ifmap.sram_reads);
      EXPECT_EQ(cost->filter.sram_reads, other.filter.sram_reads);
      EXPECT_EQ(cost->ofmap.sram_reads, other.ofmap.sram_reads);
      EXPECT_EQ(cost->ofmap.sram_writes, other.ofmap.sram_writes);
      EXPECT_EQ(cost->macs, p.m * p.n * p.k);
    }
  }
}

TEST(Systolic, ReadsFromDramOnceWhatFits) {
  SystolicArray array = square_array(32, DataFlow::weight_stationary);
  array.ifmap_bytes = 2 * 256 * 512;
  auto cost = systolic_cost(array, {256, 128, 512});
  EXPECT_EQ(cost->ifmap.dram_reads, 256 * 512);
  EXPECT_EQ(cost->ofmap.dram_writes, 256 * 128);
  EXPECT_EQ(cost->ofmap.dram_reads, 0);
  array.ifmap_bytes -= 2;
  cost = systolic_cost(array, {256, 128, 512});
  EXPECT_EQ(cost->ifmap.dram_reads, 4 * 256 * 512);  // four columns of folds
  EXPECT_EQ(cost->filter.dram_reads, 128 * 512);
  array.ofmap_bytes = 2 * 32 * 256 - 2;  // sums of one column of folds no longer fit
  cost = systolic_cost(array, {256, 128, 512});
  EXPECT_EQ(cost->ofmap.dram_writes, 16 * 256 * 128);
  EXPECT_EQ(cost->ofmap.dram_reads, 15 * 256 * 128);
}

TEST(Systolic, WaitsForADramThatIsTooSlow) {
  SystolicArray array = square_array(32, DataFlow::output_stationary);
  array.bandwidth = 0.5;
  const auto cost = systolic_cost(array, {100, 70, 300});
  // The ifmap, 30,000 words three times over but for 32,768 words that it may keep: once.
  EXPECT_EQ(cost->ifmap.dram_reads, 30000);
  EXPECT_EQ(cost->total, 60000 + 14000);
}

TEST(Systolic, MapsConvolutionsToProducts) {
  // 5×5 with 3 channels, 2×2 windows, stride 2: 2×2 places (the last row and column are left over).
  const auto product = product_of({5, 5, 2, 2, 3, 7, 2});
  ASSERT_TRUE(product);
  EXPECT_EQ(product->m, 4);
  EXPECT_EQ(product->n, 7);
  EXPECT_EQ(product->k, 12);
  EXPECT_EQ(product->ifmap_words, 75);
  EXPECT_EQ(product_of({224, 224, 7, 7, 3, 64, 2})->m, 109 * 109);
  EXPECT_FALSE(product_of({2, 5, 3, 3, 1, 1, 1}));
  EXPECT_FALSE(product_of({5, 5, 3, 3, 1, 1, 0}));
}

TEST(Systolic, SaysNothingThatDoesNotFit) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const DataFlow flow : kFlows) {
    EXPECT_FALSE(systolic_cost(square_array(32, flow), {kMost, kMost, 1}));
    EXPECT_FALSE(systolic_cost(square_array(32, flow), {1 << 30, 1 << 30, 1 << 30}));
    EXPECT_FALSE(systolic_cost(square_array(kMost, flow), {1, 1, kMost}));
    EXPECT_FALSE(systolic_cost(square_array(32, flow), {0, 1, 1}));
    EXPECT_FALSE(systolic_cost(square_array(0, flow), {1, 1, 1}));
    SystolicArray slow = square_array(32, flow);
    slow.bandwidth = 1e-300;
    EXPECT_FALSE(systolic_cost(slow, {256, 128, 512}));
    EXPECT_EQ(systolic_cost(square_array(1, flow), {1, 1, 1})->cycles, 1);
  }
  EXPECT_FALSE(product_of({kMost, kMost, 1, 1, kMost, 1, 1}));
}

graph::Kernel systolic_kernel(std::string_view text) { return graph::parse_kernel(text).value(); }

TEST(SystolicModel, AnswersForProductsAndConvolutions) {
  const SystolicModel model(square_array(32, DataFlow::output_stationary));
  const auto time = [&](std::string_view text) {
    const auto answer = model.time(systolic_kernel(text), Silicon{});
    return answer ? answer->seconds : 0;
  };
  EXPECT_DOUBLE_EQ(time("gemm forward int8,int8>int32 m=256 n=128 k=512"), 18367e-9);
  EXPECT_DOUBLE_EQ(time("batched_gemm forward int8,int8>int32 batch=3 m=256 n=128 k=512"),
                   3 * 18367e-9);
  // 100 rows in three groups: one of 34 and two of 33, two folds each.
  const double one = (2 * 3 * (32 + 32 + 300 - 2) - 1) * 1e-9;
  EXPECT_DOUBLE_EQ(time("grouped_gemm forward int8,int8>int32 groups=3 rows=100 n=70 k=300"),
                   3 * one);
  // What 5×5 with 2×2 windows and stride 2 gives: m=4, n=7, k=12.
  const double product = (32 + 32 + 12 - 2 - 1) * 1e-9;
  EXPECT_DOUBLE_EQ(time("convolution forward int8,int8>int32 batch=1 in=3 out=7 height=2 width=2 "
                        "filter_h=2 filter_w=2 stride=2"),
                   product);
  EXPECT_EQ(time("softmax forward bf16,bf16>bf16 rows=4 features=8"), 0);
  EXPECT_EQ(time("gemm forward bf16,bf16>bf16 m=4 n=8"), 0);
  EXPECT_EQ(
      model.time(systolic_kernel("gemm forward bf16,bf16>bf16 m=4 n=8 k=1"), Silicon{})->source,
      TimeSource::systolic);
}

TEST(SystolicModel, TakesTheDevicesClockAndSharesOutOverArrays) {
  SystolicArray array = square_array(32, DataFlow::output_stationary);
  array.clock = 0;
  const graph::Kernel three =
      systolic_kernel("batched_gemm forward int8,int8>int32 batch=3 m=256 n=128 k=512");
  Silicon silicon;
  EXPECT_FALSE(SystolicModel(array).time(three, silicon));
  silicon.clock = 2e9;
  EXPECT_DOUBLE_EQ(SystolicModel(array).time(three, silicon)->seconds, 3 * 18367 / 2e9);
  EXPECT_DOUBLE_EQ(SystolicModel(array, 2).time(three, silicon)->seconds, 2 * 18367 / 2e9);
}

TEST(SystolicModel, HasGradientsOfConvolutionsAsProducts) {
  const graph::Kernel back = systolic_kernel(
      "convolution backward bf16,bf16>bf16 batch=2 in=3 out=7 height=4 width=5 filter_h=2 "
      "filter_w=2 stride=1");
  const auto work = systolic_work(back);
  ASSERT_EQ(work.size(), 2u);
  for (const SystolicWork& part : work)
    EXPECT_EQ(part.product.m * part.product.n * part.product.k, (2 * 4 * 5) * 7 * (3 * 2 * 2));
  EXPECT_EQ(work[0].product.m, 40);
  EXPECT_EQ(work[1].product.m, 7);
}

}  // namespace
}  // namespace orrery::model
