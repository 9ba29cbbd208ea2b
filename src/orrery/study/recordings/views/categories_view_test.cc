// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/study/recordings/views/views_testing.h"

namespace orrery::study {
namespace {

// The operator decides before the name of its kernel; what neither shows is named.
TEST(CategoriesView, AreThoseOfOperatorsThenOfKernels) {
  RecordedProducts recorded;
  recorded.op("aten::mm", 0, 10, "[[64, 128], [128, 32]]", kBf16Pair);
  recorded.launch("mystery", 1, 20, 40);
  recorded.op("aten::softmax", 20, 10, "", "");
  recorded.launch("softmax_warp_forward", 21, 60, 21);
  recorded.op("custom::op", 40, 10, "", "");
  recorded.launch("secret_b", 41, 80, 9);
  recorded.launch("secret_a", 44, 90, 10);
  recorded.launch("Memcpy HtoD (Pinned -> Device)", 46, 110, 15, profile::Kind::memcpy);
  recorded.launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 48, 130, 5);
  const View view = view_of("categories", rank_of(recorded.make.take()));
  const ViewTable& rows = table_of(view, "categories");
  ASSERT_EQ(rows.rows.size(), 5u);
  EXPECT_EQ(cell(rows, 0, "category"), "gemm");
  EXPECT_EQ(cell(rows, 1, "category"), "softmax");
  EXPECT_EQ(cell(rows, 2, "category"), "(unknown)");
  EXPECT_EQ(cell(rows, 2, "time_share"), "19.0 %");
  EXPECT_EQ(cell(rows, 3, "category"), "transfer");
  EXPECT_EQ(cell(rows, 4, "category"), "communication");
  const ViewTable& unknown = table_of(view, "unknown");
  ASSERT_EQ(unknown.rows.size(), 2u);
  EXPECT_EQ(cell(unknown, 0, "name"), "secret_a");
  EXPECT_EQ(cell(unknown, 1, "name"), "secret_b");
  EXPECT_EQ(fact(view, "recorded_share"), "20.0 %");
  EXPECT_EQ(fact(view, "by_operator_share"), "40.0 %");
  EXPECT_EQ(fact(view, "by_kernel_name_share"), "21.0 %");
  EXPECT_EQ(fact(view, "unknown_share"), "19.0 %");
}

TEST(CategoriesView, CountsKernelsByLength) {
  RecordedProducts recorded;
  for (const std::int64_t length : {1, 3, 9, 10, 77})
    recorded.launch("kernel", 20 * length, 20 * length + 5, length);
  recorded.launch("Memset (Device)", 5000, 5010, 1, profile::Kind::memset);
  const View view = view_of("categories", rank_of(recorded.make.take()));
  const ViewTable& lengths = table_of(view, "lengths");
  ASSERT_EQ(lengths.rows.size(), 10u);
  EXPECT_EQ(cell(lengths, 0, "count"), "0");  // from 0 below 1 us
  EXPECT_EQ(cell(lengths, 1, "count"), "1");  // from 1 below 2 us
  EXPECT_EQ(cell(lengths, 3, "limit_ns"), "10 us");
  EXPECT_EQ(cell(lengths, 3, "count"), "1");
  EXPECT_EQ(cell(lengths, 4, "count"), "1");  // 10 us is not below 10 us
  EXPECT_EQ(cell(lengths, 6, "time_share"), "77.0 %");
  EXPECT_EQ(fact(view, "short_kernel_count"), "3");
  EXPECT_EQ(fact(view, "short_kernel_time_share"), "13.0 %");
}

}  // namespace
}  // namespace orrery::study
