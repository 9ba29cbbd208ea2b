// SPDX-License-Identifier: Apache-2.0
//
// Means, medians and quantiles of samples, in the unit of the values. Definitions of a quantile
// differ between two values, and results must stay the same: each definition has its own name. For
// n values in ascending order, x[0] to x[n - 1], and a share p from 0 to 1:
//
//   lower_median                     x[(n - 1) / 2]
//   upper_median                     x[n / 2]
//   median                           the mean of both
//   quantile_lower                   x[floor(p (n - 1))]        NumPy "lower"
//   quantile_nearest                 x[floor(p (n - 1) + 0.5)]  NumPy "nearest", halves go up
//   quantile_nearest_rank            x[ceil(p n) - 1]           type 1, NumPy "inverted_cdf"
//   quantile_next_rank               x[floor(p n)]
//   quantile_interpolated_of_sorted  at p (n - 1), linear       type 7, NumPy "linear"
//   quantile_weibull_of_sorted       at p (n + 1) - 1, linear   type 6, NumPy "weibull"
//
// Types are those of Hyndman and Fan, "Sample quantiles in statistical packages" (The American
// Statistician 50(4), 1996). All return 0 if there are no values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery {

/// The value at index `place` in ascending order; the largest value if `place` is out of range.
/// Reorders `values`. O(n)
template <class Value>
[[nodiscard]] Value order_statistic(std::vector<Value>& values, std::size_t place) {
  if (values.empty()) return {};
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(place, values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// For an even count, the smaller of the two middle values. Reorders `values`. O(n)
template <class Value>
[[nodiscard]] Value lower_median(std::vector<Value>& values) {
  return order_statistic(values, values.empty() ? 0 : (values.size() - 1) / 2);
}

/// For an even count, the larger of the two middle values. Reorders `values`. O(n)
template <class Value>
[[nodiscard]] Value upper_median(std::vector<Value>& values) {
  return order_statistic(values, values.size() / 2);
}

/// For an even count, the mean of the two middle values. O(n)
[[nodiscard]] double median(std::vector<double> values);
/// The median of times, rounded down to picoseconds.
[[nodiscard]] Time median(std::vector<Time> values);

/// The largest value such that at most `share` of the others are below it. Reorders `values`. O(n)
template <class Value>
[[nodiscard]] Value quantile_lower(std::vector<Value>& values, double share) {
  const double last = values.empty() ? 0 : static_cast<double>(values.size() - 1);
  return order_statistic(values, static_cast<std::size_t>(share * last));
}

/// The value whose rank is nearest to `share` of the others; 0.5: the upper median. Reorders
/// `values`. O(n)
template <class Value>
[[nodiscard]] Value quantile_nearest(std::vector<Value>& values, double share) {
  const double last = values.empty() ? 0 : static_cast<double>(values.size() - 1);
  return order_statistic(values, static_cast<std::size_t>(share * last + 0.5));
}

/// The smallest value such that at least `share` of all values are at or below it; 0.5: the lower
/// median. Reorders `values`. O(n)
template <class Value>
[[nodiscard]] Value quantile_nearest_rank(std::vector<Value>& values, double share) {
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return order_statistic(values, static_cast<std::size_t>(std::max(rank, 1.0)) - 1);
}

/// The smallest value such that more than `share` of all values are at or below it; 0.5: the upper
/// median. Reorders `values`. O(n)
template <class Value>
[[nodiscard]] Value quantile_next_rank(std::vector<Value>& values, double share) {
  return order_statistic(values,
                         static_cast<std::size_t>(share * static_cast<double>(values.size())));
}

/// Interpolates linearly between the two nearest values. `sorted` is ascending. O(1)
[[nodiscard]] double quantile_interpolated_of_sorted(std::span<const double> sorted, double share);

/// Interpolates at p (n + 1) - 1: a further value of the same distribution is below the result with
/// a probability of `share`, if the result is between the smallest and the largest value. O(1)
[[nodiscard]] double quantile_weibull_of_sorted(std::span<const double> sorted, double share);

struct WeightedValue {
  double value = 0, weight = 1;
};

/// The smallest value such that at least `share` of the weight is at or below it. With equal
/// weights, this is quantile_nearest_rank. O(n log n)
[[nodiscard]] double weighted_quantile(std::vector<WeightedValue> values, double share);

/// The mean of the weighted lower and upper median; with equal weights, the median. O(n log n)
[[nodiscard]] double weighted_median(const std::vector<WeightedValue>& values);

/// The arithmetic mean, summed in the order of the values; 0 if there are none. O(n)
[[nodiscard]] double mean(std::span<const double> values);

/// The size halfway between two in logarithms: the square root of their product, rounded down.
[[nodiscard]] std::int64_t geometric_mean(std::int64_t a, std::int64_t b);

/// The variance of the distribution that the values are sampled from: the sum of squared distances
/// from their mean, divided by n - 1. Requires at least two values. O(n)
[[nodiscard]] double sample_variance(std::span<const double> values);

struct MeanAndDeviation {
  double mean = 0, deviation = 0;
};

/// The mean of `value_of(0)` to `value_of(count - 1)`, and their population standard deviation: the
/// root of the sum of squared distances from the mean, divided by `count`. In two passes. O(n)
template <class ValueOf>
[[nodiscard]] MeanAndDeviation mean_and_deviation(std::size_t count, const ValueOf& value_of) {
  const auto n = static_cast<double>(count);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) sum += value_of(i);
  for (std::size_t i = 0; i < count; ++i) {
    const double off = value_of(i) - sum / n;
    squares += off * off;
  }
  return {sum / n, std::sqrt(squares / n)};
}

}  // namespace orrery
