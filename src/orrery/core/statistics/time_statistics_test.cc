// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/statistics/time_statistics.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(TimeStatistics, OfAFewTimes) {
  TimeStatistics times;
  EXPECT_EQ(times.mean(), Time{});
  EXPECT_EQ(times.deviation(), Time{});
  times.add(us(4));
  EXPECT_EQ(times.deviation(), Time{});
  times.add(us(10));
  times.add(us(7));
  EXPECT_EQ(times.count(), 3u);
  EXPECT_EQ(times.total(), us(21));
  EXPECT_EQ(times.mean(), us(7));
  EXPECT_EQ(times.least(), us(4));
  EXPECT_EQ(times.most(), us(10));
  EXPECT_EQ(times.deviation(), us(3)) << "of a sample: sqrt((9 + 9) / 2)";
}

// Times of hours with differences of nanoseconds keep their deviation.
TEST(TimeStatistics, OfLongTimesThatHardlyDiffer) {
  TimeStatistics times;
  for (std::int64_t i = 0; i < 100; ++i) times.add(ns(3'600'000'000'000 + 10 * (i % 2)));
  EXPECT_NEAR(static_cast<double>(times.deviation().count()), 5'025, 10);
}

}  // namespace
}  // namespace orrery
