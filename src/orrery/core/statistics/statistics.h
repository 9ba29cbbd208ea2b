// SPDX-License-Identifier: Apache-2.0
//
// Means, medians and quantiles of samples, in the unit of the values. Definitions of a quantile
// differ where it lies between two values, and results have to stay the same: each definition has a
// name of its own. Of n values in ascending order, x[0] to x[n - 1], and a share p from 0 to 1:
//
//   lower_median                     x[(n - 1) / 2]
//   upper_median                     x[n / 2]
//   median                           the mean of both
//   quantile_lower                   x[floor(p (n - 1))]        "lower" of NumPy
//   quantile_nearest                 x[floor(p (n - 1) + 0.5)]  "nearest" of NumPy, but halves go
//   up quantile_nearest_rank            x[ceil(p n) - 1]           type 1, "inverted_cdf" of NumPy
//   quantile_next_rank               x[floor(p n)]
//   quantile_interpolated_of_sorted  at p (n - 1), by lines     type 7, "linear" of NumPy
//   quantile_weibull_of_sorted       at p (n + 1) - 1, by lines type 6, "weibull" of NumPy
//
// Types are those of Hyndman and Fan, "Sample quantiles in statistical packages" (The American
// Statistician 50(4), 1996). Of no values all of these are 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery {

/// The value that has `place` others before it in ascending order; the largest, if there are not as
/// many. Brings `values` into another order. O(n)
template <class Value>
[[nodiscard]] Value order_statistic(std::vector<Value>& values, std::size_t place) {
  if (values.empty()) return {};
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(place, values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Of an even number the smaller one of the two in the middle. Reorders `values`. O(n)
template <class Value>
[[nodiscard]] Value lower_median(std::vector<Value>& values) {
  return order_statistic(values, values.empty() ? 0 : (values.size() - 1) / 2);
}

/// Of an even number the larger one of the two in the middle. Reorders `values`. O(n)
template <class Value>
[[nodiscard]] Value upper_median(std::vector<Value>& values) {
  return order_statistic(values, values.size() / 2);
}

/// Of an even number the mean of the two in the middle. O(n)
[[nodiscard]] double median(std::vector<double> values);
/// The same of times, cut off to whole picoseconds.
[[nodiscard]] Time median(std::vector<Time> values);

/// The last value that at most a share of the others is below. Reorders `values`. O(n)
template <class Value>
[[nodiscard]] Value quantile_lower(std::vector<Value>& values, double share) {
  const double last = values.empty() ? 0 : static_cast<double>(values.size() - 1);
  return order_statistic(values, static_cast<std::size_t>(share * last));
}

/// The value nearest to where a share of the others is below; 0.5: the upper median. Reorders
/// `values`. O(n)
template <class Value>
[[nodiscard]] Value quantile_nearest(std::vector<Value>& values, double share) {
  const double last = values.empty() ? 0 : static_cast<double>(values.size() - 1);
  return order_statistic(values, static_cast<std::size_t>(share * last + 0.5));
}

/// The least value that at least a share of all is at or below; 0.5: the lower median. Reorders
/// `values`. O(n)
template <class Value>
[[nodiscard]] Value quantile_nearest_rank(std::vector<Value>& values, double share) {
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return order_statistic(values, static_cast<std::size_t>(std::max(rank, 1.0)) - 1);
}

/// The least value that more than a share of all is at or below; 0.5: the upper median. Reorders
/// `values`. O(n)
template <class Value>
[[nodiscard]] Value quantile_next_rank(std::vector<Value>& values, double share) {
  return order_statistic(values,
                         static_cast<std::size_t>(share * static_cast<double>(values.size())));
}

/// Of values in ascending order, on the line between the two next to it. O(1)
[[nodiscard]] double quantile_interpolated_of_sorted(std::span<const double> sorted, double share);

/// The same at another place: a further value of the same distribution is below it with a
/// probability of `share`, where that lies between the least and the largest value. O(1)
[[nodiscard]] double quantile_weibull_of_sorted(std::span<const double> sorted, double share);

struct WeightedValue {
  double value = 0, weight = 1;
};

/// The least value that has at least such a share of the weight at or below it: with equal weights
/// the nearest rank. O(n log n)
[[nodiscard]] double weighted_quantile(std::vector<WeightedValue> values, double share);

/// Half of it from below and half from above: with equal weights the median. O(n log n)
[[nodiscard]] double weighted_median(const std::vector<WeightedValue>& values);

/// The arithmetic mean, added up in the order of the values; 0 of none. O(n)
[[nodiscard]] double mean(std::span<const double> values);

/// The size halfway between two in logarithms: the root of their product, cut off.
[[nodiscard]] std::int64_t geometric_mean(std::int64_t a, std::int64_t b);

/// The variance of what the values are a sample of: squares of distances from their mean, over
/// n - 1. There have to be two at least. O(n)
[[nodiscard]] double sample_variance(std::span<const double> values);

struct MeanAndDeviation {
  double mean = 0, deviation = 0;
};

/// The mean of `value_of(0)` to `value_of(count - 1)`, and the standard deviation as of the whole
/// population: the root of squares of distances from the mean, over `count`. In two passes. O(n)
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
