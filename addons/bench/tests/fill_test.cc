// SPDX-License-Identifier: Apache-2.0
#include "apps/orrery_bench/fill.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <vector>

namespace orrery::bench {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

template <class Element>
std::vector<Element> filled(Dtype dtype, const Fill& how, std::size_t count) {
  std::vector<Element> memory(count);
  fill(memory.data(), {static_cast<std::int64_t>(count * sizeof(Element)), dtype, how}, 7, {});
  return memory;
}

TEST(Fill, RealsLieWithinTheirRange) {
  const auto values = filled<float>(Dtype::real32, {Fill::Kind::uniform, 0, 0.25}, 10'000);
  EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
  EXPECT_LE(*std::max_element(values.begin(), values.end()), 0.25f);
  double sum = 0;
  for (const float value : values) sum += value;
  EXPECT_NEAR(sum / 10'000, 0.125, 0.005);
  EXPECT_EQ(values, filled<float>(Dtype::real32, {Fill::Kind::uniform, 0, 0.25}, 10'000))
      << "the same every time";
}

TEST(Fill, WholeNumbersTakeBothEnds) {
  const auto values = filled<std::int32_t>(Dtype::int32, {Fill::Kind::whole, 3, 5}, 300);
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), 3);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 5);
  EXPECT_THAT(filled<std::uint8_t>(Dtype::truth, {Fill::Kind::whole, 1, 1}, 9), Each(1));
}

TEST(Fill, RampsAreWhereBagsBegin) {
  EXPECT_THAT(filled<std::int64_t>(Dtype::int64, {Fill::Kind::ramp, 0, 10, 2.5}, 5),
              ElementsAre(0, 2, 5, 7, 10));
}

// Of 1000 rows 600 occur once, 300 twice, 100 three times: 1500 lookups.
TEST(Fill, RowsComeAgainAsOftenAsAsked) {
  const auto rows = reused_rows(1500, 50'000, {0.6, 0.3, 0.1}, 3);
  ASSERT_EQ(rows.size(), 1500u);
  std::map<std::int64_t, int> times;
  for (const std::int64_t row : rows) {
    EXPECT_TRUE(row >= 0 && row < 50'000);
    ++times[row];
  }
  std::map<int, int> rows_by_times;
  for (const auto& [row, count] : times) ++rows_by_times[count];
  EXPECT_EQ(rows_by_times, (std::map<int, int>{{1, 600}, {2, 300}, {3, 100}}));
}

TEST(Fill, FewRowsAreEnough) {
  EXPECT_THAT(reused_rows(4, 1, {1}, 3), Each(0));
  EXPECT_EQ(reused_rows(100, 7, {}, 3).size(), 100u);
}

}  // namespace
}  // namespace orrery::bench
