// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/statistics/statistics.h"

#include <numeric>
#include <utility>

namespace orrery {

namespace {

/// The smaller middle value of an even number of values. Call it after upper_median().
template <class Value>
Value other_middle(const std::vector<Value>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  return *std::max_element(values.begin(), middle);
}

/// The value at a fractional index of ascending values, by linear interpolation.
double on_line_between(std::span<const double> sorted, double place) {
  if (sorted.empty()) return 0;
  place = std::clamp(place, 0.0, static_cast<double>(sorted.size() - 1));
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (place - static_cast<double>(low));
}

}  // namespace

double median(std::vector<double> values) {
  const double upper = upper_median(values);
  if (values.empty() || values.size() % 2 == 1) return upper;
  return (upper + other_middle(values)) / 2;
}

Time median(std::vector<Time> values) {
  const Time upper = upper_median(values);
  if (values.empty() || values.size() % 2 == 1) return upper;
  return Time{(other_middle(values) + upper).count() / 2};
}

double quantile_interpolated_of_sorted(std::span<const double> sorted, double share) {
  if (sorted.empty()) return 0;
  return on_line_between(sorted, share * static_cast<double>(sorted.size() - 1));
}

double quantile_weibull_of_sorted(std::span<const double> sorted, double share) {
  return on_line_between(sorted, share * static_cast<double>(sorted.size() + 1) - 1);
}

double weighted_quantile(std::vector<WeightedValue> values, double share) {
  std::sort(values.begin(), values.end(),
            [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
  double all = 0;
  for (const WeightedValue& one : values) all += one.weight;
  double below = 0;
  for (const WeightedValue& one : values) {
    below += one.weight;
    if (below >= share * all * (1 - 1e-12)) return one.value;
  }
  return 0;
}

double weighted_median(const std::vector<WeightedValue>& values) {
  std::vector<WeightedValue> mirrored = values;
  for (WeightedValue& one : mirrored) one.value = -one.value;
  return (weighted_quantile(values, 0.5) - weighted_quantile(std::move(mirrored), 0.5)) / 2;
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::int64_t geometric_mean(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(std::sqrt(static_cast<double>(a)) *
                                   std::sqrt(static_cast<double>(b)));
}

double sample_variance(std::span<const double> values) {
  const double center = mean(values);
  double squares = 0;
  for (const double one : values) squares += (one - center) * (one - center);
  return squares / static_cast<double>(values.size() - 1);
}

}  // namespace orrery
