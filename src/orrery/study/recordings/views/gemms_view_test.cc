// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/study/recordings/views/views_testing.h"

namespace orrery::study {
namespace {

// 2 × 64 × 32 × 128 FLOPs in 1 us are 524.3 GFLOP/s.
TEST(GemmsView, SumsCallsOfEqualProducts) {
  RecordedProducts recorded;
  for (std::int64_t call = 0; call < 2; ++call) {
    recorded.op("aten::mm", 20 * call, 10, "[[64, 128], [128, 32]]", kBf16Pair);
    recorded.launch(call == 0 ? "gemm_a" : "gemm_b", 20 * call + 1, 20 * call + 5, 1);
  }
  recorded.op("aten::bmm", 40, 10, "[[4, 64, 128], [4, 128, 32]]", kBf16Pair);
  recorded.launch("gemm_c", 41, 50, 10);
  recorded.op("aten::add", 60, 10, "[[64, 128], [64, 128]]", kBf16Pair);
  recorded.launch("add", 61, 70, 8);
  const View view = view_of("gemms", rank_of(recorded.make.take()));
  const ViewTable& rows = table_of(view, "products");
  ASSERT_EQ(rows.rows.size(), 2u);
  EXPECT_EQ(cell(rows, 0, "batch"), "4");
  EXPECT_EQ(cell(rows, 0, "kernel_name"), "gemm_c");
  EXPECT_EQ(cell(rows, 1, "m"), "64");
  EXPECT_EQ(cell(rows, 1, "n"), "32");
  EXPECT_EQ(cell(rows, 1, "k"), "128");
  EXPECT_EQ(cell(rows, 1, "count"), "2");
  EXPECT_EQ(cell(rows, 1, "time_ns"), "2 us");
  EXPECT_EQ(cell(rows, 1, "flop_per_s"), "524.3 GFLOP/s");
  EXPECT_EQ(cell(rows, 1, "kernel_name"), "gemm_a");
  EXPECT_EQ(cell(rows, 1, "kernel_count"), "2");
  EXPECT_EQ(fact(view, "products_share"), "60.0 %");
}

TEST(GemmsView, SeparatesTransposedFactorsByStrides) {
  RecordedProducts recorded;
  const auto product = [&](std::int64_t at, std::string_view strides) {
    const auto op = recorded.op("aten::addmm", at, 10, "[[32], [64, 128], [128, 32]]",
                                R"(["float","float","float"])");
    recorded.make.op_of(op).strides = recorded.make.text(strides);
    recorded.launch("gemm", at + 1, at + 5, at == 0 ? 3 : 2);
  };
  product(0, "[[1], [128, 1], [1, 128]]");
  product(20, "[[1], [1, 64], [32, 1]]");
  const View view = view_of("gemms", rank_of(recorded.make.take()));
  const ViewTable& rows = table_of(view, "products");
  ASSERT_EQ(rows.rows.size(), 2u);
  EXPECT_EQ(cell(rows, 0, "transposed_a"), "no");
  EXPECT_EQ(cell(rows, 0, "transposed_b"), "yes");
  EXPECT_EQ(cell(rows, 1, "transposed_a"), "yes");
  EXPECT_EQ(cell(rows, 1, "transposed_b"), "no");
}

// On matrix units fp32 products are tf32, which has another peak.
TEST(GemmsView, TakesTheFormatFromTheKernel) {
  RecordedProducts recorded;
  recorded.op("aten::mm", 0, 10, "[[64, 128], [128, 32]]", R"(["float","float"])");
  recorded.launch("ampere_sgemm_128x64_nn", 1, 5, 2);
  recorded.op("aten::mm", 20, 10, "[[64, 128], [128, 32]]", R"(["float","float"])");
  recorded.launch("cutlass_80_tensorop_s1688gemm_128x64_nn", 21, 25, 1);
  const View view = view_of("gemms", rank_of(recorded.make.take()));
  const ViewTable& rows = table_of(view, "products");
  ASSERT_EQ(rows.rows.size(), 2u);
  EXPECT_EQ(cell(rows, 0, "formats"), "fp32");
  EXPECT_EQ(cell(rows, 1, "formats"), "tf32 > fp32");
}

}  // namespace
}  // namespace orrery::study
