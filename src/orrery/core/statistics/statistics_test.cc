// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/statistics/statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace orrery {
namespace {

using Numbers = std::vector<double>;

Numbers up_to(int n) {
  Numbers values;
  for (int i = n; i > 0; --i) values.push_back(i);
  return values;
}

template <class Find>
double of(Numbers values, const Find& find) {
  return find(values);
}

TEST(Statistics, MediansAreTheMiddle) {
  EXPECT_EQ(median(Numbers{}), 0);
  EXPECT_EQ(median(Numbers{3}), 3);
  EXPECT_EQ(median(Numbers{9, 1}), 5);
  EXPECT_EQ(median(Numbers{9, 1, 2}), 2);
  EXPECT_EQ(median(Numbers{9, 1, 2, 4}), 3);
  EXPECT_EQ(median(std::vector<Time>{}), Time{});
  EXPECT_EQ(median(std::vector<Time>{Time{9}, Time{1}, Time{2}}), Time{2});
  EXPECT_EQ(median(std::vector<Time>{Time{9}, Time{1}, Time{2}, Time{5}}), Time{3}) << "of 3.5";
}

TEST(Statistics, MediansOfAnEvenNumberHaveTwoEnds) {
  std::vector<std::int64_t> even{40, 10, 30, 20}, odd{30, 10, 20}, none;
  EXPECT_EQ(lower_median(even), 20);
  EXPECT_EQ(upper_median(even), 30);
  EXPECT_EQ(lower_median(odd), 20);
  EXPECT_EQ(upper_median(odd), 20);
  EXPECT_EQ(lower_median(none), 0);
  EXPECT_EQ(upper_median(none), 0);
}

// What numpy.quantile(range(1, 11), p, method=...) says: "lower", "nearest" (of 5.5 and the like
// the even one there), "inverted_cdf", "linear", "weibull".
TEST(Statistics, QuantilesAreThoseOfTheirDefinition) {
  const auto lower = [](double p) {
    return of(up_to(10), [p](Numbers& values) { return quantile_lower(values, p); });
  };
  const auto nearest = [](double p) {
    return of(up_to(10), [p](Numbers& values) { return quantile_nearest(values, p); });
  };
  const auto nearest_rank = [](double p) {
    return of(up_to(10), [p](Numbers& values) { return quantile_nearest_rank(values, p); });
  };
  const auto next_rank = [](double p) {
    return of(up_to(10), [p](Numbers& values) { return quantile_next_rank(values, p); });
  };
  EXPECT_EQ(lower(0.5), 5);
  EXPECT_EQ(lower(0.95), 9);
  EXPECT_EQ(nearest(0.5), 6) << "halves go up";
  EXPECT_EQ(nearest(0.1), 2);
  EXPECT_EQ(nearest(0.95), 10);
  EXPECT_EQ(nearest_rank(0.5), 5);
  EXPECT_EQ(nearest_rank(0.9), 9);
  EXPECT_EQ(nearest_rank(0.99), 10);
  EXPECT_EQ(next_rank(0.5), 6);
  EXPECT_EQ(next_rank(0.9), 10);
  for (const auto& quantile : {+lower, +nearest, +nearest_rank, +next_rank}) {
    EXPECT_EQ(quantile(0), 1);
    EXPECT_EQ(quantile(1), 10);
  }
  const Numbers sorted{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_DOUBLE_EQ(quantile_interpolated_of_sorted(sorted, 0.5), 5.5);
  EXPECT_DOUBLE_EQ(quantile_interpolated_of_sorted(sorted, 0.9), 9.1);
  EXPECT_EQ(quantile_interpolated_of_sorted(sorted, 1), 10);
  EXPECT_DOUBLE_EQ(quantile_weibull_of_sorted(sorted, 0.1), 1.1);
  EXPECT_DOUBLE_EQ(quantile_weibull_of_sorted(sorted, 0.5), 5.5);
  EXPECT_DOUBLE_EQ(quantile_weibull_of_sorted(sorted, 0.9), 9.9);
  EXPECT_EQ(quantile_weibull_of_sorted(sorted, 0.99), 10) << "no farther than the largest";
}

TEST(Statistics, QuantilesOfNoValuesAreZero) {
  Numbers none;
  EXPECT_EQ(quantile_lower(none, 0.9), 0);
  EXPECT_EQ(quantile_nearest(none, 0.9), 0);
  EXPECT_EQ(quantile_nearest_rank(none, 0.9), 0);
  EXPECT_EQ(quantile_next_rank(none, 0.9), 0);
  EXPECT_EQ(quantile_interpolated_of_sorted(none, 0.9), 0);
  EXPECT_EQ(quantile_weibull_of_sorted(none, 0.9), 0);
}

// 95 of 100 in whole numbers, as in doubles: the nearest double of 0.95 is below it.
TEST(Statistics, SharesOfWholeNumbersAreExact) {
  for (std::size_t n = 1; n < 5000; n += 1 + n / 100) {
    std::vector<std::size_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = i;
    EXPECT_EQ(quantile_lower(values, 0.95), (n - 1) * 95 / 100) << n;
    EXPECT_EQ(quantile_next_rank(values, 0.95), n * 95 / 100) << n;
  }
}

RC_GTEST_PROP(Statistics, OrderDoesNotMatter, (std::vector<double> values, std::uint64_t any)) {
  RC_PRE(!values.empty());
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t place = any % values.size();
  RC_ASSERT(order_statistic(values, place) == sorted[place]);
  RC_ASSERT(order_statistic(values, sorted.size()) == sorted.back());
  RC_ASSERT(lower_median(values) == sorted[(sorted.size() - 1) / 2]);
  RC_ASSERT(upper_median(values) == sorted[sorted.size() / 2]);
}

TEST(Statistics, WeightsCountLikeRepeatedValues) {
  EXPECT_EQ(weighted_median({{1, 1}, {2, 1}, {3, 1}, {4, 1}}), 2.5);
  EXPECT_EQ(weighted_median({{1, 1}, {2, 1}, {3, 1}}), 2);
  EXPECT_EQ(weighted_median({{5, 1}, {1, 3}, {9, 1}}), 1);
  EXPECT_EQ(weighted_median({{1, 2}, {5, 2}}), 3);
  EXPECT_EQ(weighted_quantile({{3, 1}, {1, 1}, {2, 2}}, 0.25), 1);
  EXPECT_EQ(weighted_quantile({{3, 1}, {1, 1}, {2, 2}}, 0.75), 2);
  EXPECT_EQ(weighted_quantile({{3, 1}, {1, 1}, {2, 2}}, 0.76), 3);
  EXPECT_EQ(weighted_quantile({}, 0.5), 0);
  EXPECT_EQ(weighted_median({}), 0);
}

TEST(Statistics, MeansAndVariances) {
  EXPECT_EQ(mean(Numbers{}), 0);
  EXPECT_EQ(mean(Numbers{1, 2, 6}), 3);
  EXPECT_EQ(sample_variance(Numbers{1, 2, 6}), 7);
  EXPECT_EQ(geometric_mean(4, 1024), 64);
  EXPECT_EQ(geometric_mean(2, 3), 2) << "of 2.449";
  const Numbers values{2, 4, 4, 4, 5, 5, 7, 9};
  const auto [center, deviation] =
      mean_and_deviation(values.size(), [&](std::size_t i) { return values[i]; });
  EXPECT_EQ(center, 5);
  EXPECT_EQ(deviation, 2);
}

}  // namespace
}  // namespace orrery
