// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/measured_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "orrery/model/kernels/table/measured_table_testing.h"

namespace orrery::model {
namespace {

using graph::Kernel;
using namespace testing_tables;

const Silicon kToy = toy_device("toy-1");

MeasuredTable toy_table(const MeasuredRows& rows) {
  Findings findings;
  MeasuredTable table = MeasuredTable::make(rows, findings);
  EXPECT_TRUE(findings.empty());
  return table;
}

TEST(MeasuredTable, IsExactOnItsPoints) {
  const MeasuredRows rows = toy_rows(toy_grid(5));
  const MeasuredTable table = toy_table(rows);
  EXPECT_EQ(table.size(), 125u);
  EXPECT_EQ(table.classes(), 1u);
  for (const MeasuredKernel& row : rows.rows) {
    const auto time = table.time(row.kernel, kToy);
    ASSERT_TRUE(time);
    EXPECT_NEAR(time->seconds, row.seconds, 1e-14 * row.seconds);
    EXPECT_EQ(time->band, ErrorBand{});
    EXPECT_EQ(time->source, TimeSource::table);
    EXPECT_FALSE(time->extrapolated);
  }
}

TEST(MeasuredTable, IsMultilinearInLogarithmsBetweenPointsOfAGrid) {
  MeasuredRows rows = toy_rows(toy_grid(2));
  for (std::size_t i = 0; i < rows.rows.size(); ++i) rows.rows[i].seconds = std::exp2(i) * 1e-6;
  const MeasuredTable table = toy_table(rows);
  // Halfway in logarithms on every axis (64 · √2 is no whole number; 90 and 91 are around it).
  const double share = std::log2(90.0 / 64);
  const auto time = table.time(toy_gemm(90, 90, 90), kToy);
  ASSERT_TRUE(time);
  EXPECT_NEAR(std::log2(time->seconds * 1e6), share * (4 + 2 + 1), 1e-12);
  EXPECT_FALSE(time->extrapolated);
  EXPECT_LT(time->band.lower, 0);
  EXPECT_GT(time->band.upper, 0);
}

TEST(MeasuredTable, KeepsToWhatItKnows) {
  const MeasuredTable table = toy_table(toy_rows(toy_grid(3)));
  EXPECT_TRUE(table.time(toy_gemm(64, 64, 64), toy_device("TOY_1")));
  EXPECT_FALSE(table.time(toy_gemm(64, 64, 64), toy_device("toy-2")));
  EXPECT_FALSE(table.time(toy_gemm(64, 64, 64), toy_device("")));
  EXPECT_TRUE(table.knows("Toy-1"));
  EXPECT_FALSE(table.knows("toy"));
  Kernel other = toy_gemm(64, 64, 64);
  other.pass = graph::Pass::weight_grad;
  EXPECT_FALSE(table.time(other, kToy));
  other = toy_gemm(64, 64, 64);
  other.out = graph::Format::fp32;
  EXPECT_FALSE(table.time(other, kToy));
  other = toy_gemm(64, 64, 64);
  other.traits = graph::kTransposedB;
  EXPECT_FALSE(table.time(other, kToy));
  EXPECT_FALSE(table.time(toy_gemm(64, 64, 0), kToy));
  other = toy_gemm(64, 64, 64);
  other.b = other.out = graph::Format::unsaid;  // as of a
  EXPECT_TRUE(table.time(other, kToy));
  other.flops = 7;
  EXPECT_TRUE(table.time(other, kToy));
}

TEST(MeasuredTable, IsAskedWithoutSizesThatItDoesNotHave) {
  // Who measured these casts did not say how long their rows were.
  std::vector<Kernel> kernels;
  for (const char* const text :
       {"cast forward bf16,bf16>fp8 elements=4096", "cast forward bf16,bf16>fp8 elements=8192"})
    kernels.push_back(*graph::parse_kernel(text));
  const MeasuredRows rows = toy_rows(kernels);
  const MeasuredTable table = toy_table(rows);
  const auto asked = *graph::parse_kernel("cast forward bf16,bf16>fp8 elements=8192 features=64");
  const auto time = table.time(asked, kToy);
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->seconds, rows.rows[1].seconds, 1e-14);
  EXPECT_FALSE(time->extrapolated);

  // Who did say it is not asked without.
  const MeasuredTable said = toy_table(toy_rows({asked}));
  EXPECT_TRUE(said.time(asked, kToy));
  EXPECT_FALSE(said.time(kernels[1], kToy));
}

TEST(MeasuredTable, ScalesWithTheWorkBeyondItsEdgesAndSaysSo) {
  const MeasuredTable table = toy_table(toy_rows(toy_grid(5)));
  const auto edge = table.time(toy_gemm(1024, 1024, 1000), kToy);
  const auto near = table.time(toy_gemm(2048, 1024, 1024), kToy);
  const auto far = table.time(toy_gemm(1 << 20, 1 << 20, 1 << 20), kToy);
  ASSERT_TRUE(edge && near && far);
  EXPECT_FALSE(edge->extrapolated);
  EXPECT_TRUE(near->extrapolated);
  EXPECT_TRUE(far->extrapolated);
  EXPECT_NEAR(near->seconds / smooth_seconds(toy_gemm(2048, 1024, 1024)), 1, 0.15);
  EXPECT_LE(near->band.lower, -0.2);
  EXPECT_GE(near->band.upper, 0.25);
  EXPECT_LT(far->band.lower, near->band.lower);
  EXPECT_GT(far->band.upper, near->band.upper);
  EXPECT_GT(far->band.lower, -1);
  EXPECT_NEAR(std::log(far->seconds / smooth_seconds(toy_gemm(1 << 20, 1 << 20, 1 << 20))), 0, 0.7);
  const auto below = table.time(toy_gemm(1, 64, 64), kToy);
  ASSERT_TRUE(below);
  EXPECT_TRUE(below->extrapolated);
  EXPECT_GT(below->seconds, 2e-6);  // a launch still takes what launches take
}

TEST(MeasuredTable, FillsHolesWellAndKnowsHowWell) {
  std::vector<Kernel> kernels = toy_grid(7);
  std::mt19937_64 random(7);
  for (std::size_t i = kernels.size(); i-- > 1;) std::swap(kernels[i], kernels[random() % (i + 1)]);
  const std::size_t held = kernels.size() / 5;
  const MeasuredTable table = toy_table(toy_rows(
      std::vector<Kernel>(kernels.begin() + static_cast<std::ptrdiff_t>(held), kernels.end())));
  std::size_t inside = 0;
  for (std::size_t i = 0; i < held; ++i) {
    const auto time = table.time(kernels[i], kToy);
    ASSERT_TRUE(time);
    const double off = smooth_seconds(kernels[i]) / time->seconds - 1;
    EXPECT_LT(std::abs(off), 0.15);
    inside += off >= time->band.lower && off <= time->band.upper ? 1 : 0;
  }
  EXPECT_GT(inside, held * 7 / 10);
}

RC_GTEST_PROP(MeasuredTable, RisesWithEverySizeWhereAllPointsDo, ()) {
  std::vector<Kernel> kernels = toy_grid(4);
  MeasuredRows rows = toy_rows(kernels);
  // Steps of any height, upwards.
  for (MeasuredKernel& row : rows.rows) row.seconds = 0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    double lower = 1e-6;
    for (std::size_t j = 0; j < i; ++j) {
      bool below = true;
      for (std::size_t a = 0; a < 3; ++a)
        below &= rows.rows[j].kernel.sizes[a] <= rows.rows[i].kernel.sizes[a];
      if (below) lower = std::max(lower, rows.rows[j].seconds);
    }
    rows.rows[i].seconds = lower * (1 + *rc::gen::inRange(0, 300) / 100.0);
  }
  const MeasuredTable table = toy_table(rows);
  for (int i = 0; i < 50; ++i) {
    const auto size = rc::gen::inRange<std::int64_t>(64, 513);
    Kernel kernel = toy_gemm(*size, *size, *size);
    const auto one = table.time(kernel, kToy);
    const auto axis = *rc::gen::inRange<std::size_t>(0, 3);
    kernel.sizes[axis] = std::min<std::int64_t>(512, kernel.sizes[axis] + *size / 8);
    const auto other = table.time(kernel, kToy);
    RC_ASSERT(one && other);
    RC_ASSERT(other->seconds >= one->seconds * (1 - 1e-12));
  }
}

Kernel toy_attention(std::int64_t batch, std::int64_t heads, std::int64_t kv_heads,
                     std::int64_t seq) {
  Kernel kernel;
  kernel.operation = graph::Operation::attention;
  kernel.a = kernel.b = kernel.out = graph::Format::bf16;
  kernel.traits = graph::kCausal;
  kernel.sizes = {batch, heads, kv_heads, seq, seq, 128, 128, 0};
  return kernel;
}

TEST(MeasuredTable, TakesSizesThatGrowTogetherForOne) {
  std::vector<Kernel> kernels;
  for (const std::int64_t batch : {1, 2, 4, 8})
    for (const std::int64_t heads : {8, 16, 32})
      for (const std::int64_t kv_heads : {4, 8})
        for (const std::int64_t seq : {512, 1024, 2048, 4096})
          kernels.push_back(toy_attention(batch, heads, kv_heads, seq));
  const MeasuredTable table = toy_table(toy_rows(kernels));
  const Kernel between = toy_attention(3, 16, 8, 1500);
  const auto time = table.time(between, kToy);
  ASSERT_TRUE(time);
  EXPECT_FALSE(time->extrapolated);
  EXPECT_NEAR(time->seconds / smooth_seconds(between), 1, 0.1);
  Kernel prefix = between;  // queries behind a cached prefix: not measured
  prefix.sizes[4] = 6000;
  EXPECT_TRUE(table.time(prefix, kToy)->extrapolated);
  Kernel grouped = toy_attention(3, 16, 0, 1500);  // as many heads for keys: 16, above the table's
  EXPECT_TRUE(table.time(grouped, kToy)->extrapolated);
  Kernel wide = between;
  wide.sizes[5] = wide.sizes[6] = 64;
  EXPECT_TRUE(table.time(wide, kToy)->extrapolated);
  wide = between;
  wide.sizes[6] = 0;  // as key_dim
  EXPECT_EQ(table.time(wide, kToy)->seconds, time->seconds);
}

TEST(MeasuredTable, AnswersFromScatteredPoints) {
  std::vector<Kernel> kernels;
  std::mt19937_64 random(3);
  const auto any = [&] {
    return static_cast<std::int64_t>(
        std::exp2(6 + 7 * (static_cast<double>(random() % 1000) / 1000)));
  };
  for (int i = 0; i < 600; ++i) kernels.push_back(toy_gemm(any(), any(), any()));
  const MeasuredRows rows = toy_rows(kernels);
  const MeasuredTable table = toy_table(rows);
  for (const MeasuredKernel& row : rows.rows) {
    const auto time = table.time(row.kernel, kToy);
    EXPECT_NEAR(time->seconds, row.seconds, 1e-12 * row.seconds);
    EXPECT_FALSE(time->extrapolated);
  }
  std::vector<double> off;
  std::size_t inside = 0;
  for (int i = 0; i < 300; ++i) {
    const Kernel kernel = toy_gemm(any(), any(), any());
    const auto time = table.time(kernel, kToy);
    ASSERT_TRUE(time);
    const double error = smooth_seconds(kernel) / time->seconds - 1;
    off.push_back(std::abs(error));
    inside += error >= time->band.lower && error <= time->band.upper ? 1 : 0;
  }
  std::nth_element(off.begin(), off.begin() + 150, off.end());
  EXPECT_LT(off[150], 0.1);
  EXPECT_GT(inside, 210u);
  EXPECT_TRUE(table.time(toy_gemm(1 << 20, 4096, 4096), kToy)->extrapolated);
}

TEST(MeasuredTable, AnswersFromASinglePoint) {
  const MeasuredTable table = toy_table(toy_rows({toy_gemm(512, 512, 512)}));
  EXPECT_NEAR(table.time(toy_gemm(512, 512, 512), kToy)->seconds,
              smooth_seconds(toy_gemm(512, 512, 512)), 1e-18);
  const auto other = table.time(toy_gemm(1024, 512, 512), kToy);
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->extrapolated);
  EXPECT_GT(other->band.upper, 0.3);
}

TEST(MeasuredTable, SharesTheFirstSizeAmongLaunches) {
  const MeasuredTable table = toy_table(toy_rows(toy_grid(4)));
  Kernel many = toy_gemm(512, 128, 128);
  many.launches = 4;
  EXPECT_NEAR(table.time(many, kToy)->seconds, 4 * smooth_seconds(toy_gemm(128, 128, 128)), 1e-16);
}

TEST(MeasuredTable, TakesTheMedianOfWhatWasMeasuredAgain) {
  MeasuredRows rows = toy_rows(toy_grid(2));
  MeasuredKernel again = rows.rows[0];
  const double first = again.seconds;
  again.seconds = 1.04 * first;
  rows.rows.push_back(again);
  again.seconds = 3 * first;
  again.line = 99;
  rows.rows.push_back(again);
  Findings findings;
  const MeasuredTable table = MeasuredTable::make(rows, findings);
  EXPECT_EQ(table.size(), 8u);
  EXPECT_NEAR(table.time(rows.rows[0].kernel, kToy)->seconds, 1.04 * first, 1e-18);
  ASSERT_EQ(findings.count(FindingCode::measured_again), 1u);
  EXPECT_NE(findings.list()[0].places[0].find("toy.csv:2 and 99"), std::string::npos);
}

TEST(MeasuredTable, DoesNotDependOnTheOrderOfRows) {
  MeasuredRows rows = toy_rows(toy_grid(4));
  rows.rows.erase(rows.rows.begin() + 21);
  const MeasuredTable one = toy_table(rows);
  std::reverse(rows.rows.begin(), rows.rows.end());
  const MeasuredTable other = toy_table(rows);
  for (std::int64_t m = 60; m < 600; m += 37)
    EXPECT_EQ(one.time(toy_gemm(m, 200, 300), kToy)->seconds,
              other.time(toy_gemm(m, 200, 300), kToy)->seconds);
}

}  // namespace
}  // namespace orrery::model
