// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/curves/lin_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "orrery/core/statistics/least_squares.h"

namespace orrery::model {
namespace {

constexpr double kEps = 4e-4;  // GB/s; the code of Lin et al. adds it to every bandwidth
constexpr std::size_t kParameters = 4;
using Parameters = std::array<double, kParameters>;  // L, x0, k, b

double log_rate(const Parameters& at, double p) {
  return at[0] / (1 + std::exp(-at[2] * (p - at[1]))) + at[3];
}

Parameters slopes(const Parameters& at, double p) {
  const double share = 1 / (1 + std::exp(-at[2] * (p - at[1])));
  const double rise = at[0] * share * (1 - share);
  return {share, -at[2] * rise, (p - at[1]) * rise, 1};
}

}  // namespace

std::int64_t even_size(std::span<const std::int64_t> to_each, UnevenSize rule) {
  if (to_each.size() < 2) return 0;
  const double others = static_cast<double>(to_each.size()) - 1;
  double sum = 0, largest = 0;
  for (const std::int64_t bytes : to_each) sum += static_cast<double>(bytes);
  if (rule == UnevenSize::sum) return std::llround(sum);
  for (const std::int64_t bytes : to_each) {
    const double sent = others * static_cast<double>(bytes);
    const double received = sum - static_cast<double>(bytes);
    largest = std::max(largest, rule == UnevenSize::max_one_way ? std::max(sent, received)
                                                                : 0.5 * (sent + received));
  }
  return std::llround(largest * (others + 1) / others);
}

double LinCurve::operator()(std::int64_t bytes, double factor) const {
  const double size = static_cast<double>(bytes);
  const double p = std::log2(std::max(size, 1.0));
  if (p <= ln_p) return overhead_us;
  if (p > sats_p) return overhead_us + size * factor / ((max_bw + kEps) * 1e3);
  return size * factor / ((std::pow(10, log_rate({L, x0, k, b}, p)) + kEps) * 1e3);
}

LinCurve fit_lin_curve(std::span<const SizedTime> points, double factor) {
  LinCurve curve;
  const std::size_t n = points.size();
  if (n < 7) return curve;
  std::vector<double> rate, p;
  for (const SizedTime& point : points) {
    rate.push_back(static_cast<double>(point.bytes) * factor / point.us / 1e3);
    p.push_back(std::log2(static_cast<double>(point.bytes)));
  }
  const double best = *std::max_element(rate.begin(), rate.end());
  std::size_t saturates = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (rate[i] < 0.95 * best) saturates = i + 2;
  saturates = std::min(saturates, n - 1);
  std::size_t flat = 4;
  for (std::size_t i = 5; i + 1 < n; ++i) {
    if (std::abs(0.5 * (points[i + 1].us - points[i - 1].us) / points[i].us) > 0.1) {
      flat = i - 1;
      break;
    }
  }
  std::vector<std::pair<double, double>> middle;
  std::vector<double> places;
  double lowest = std::log10(best);
  for (std::size_t i = flat; i <= saturates; ++i) {
    const double y = std::log10(rate[i]);
    middle.emplace_back(p[i], y);
    places.push_back(p[i]);
    lowest = std::min(lowest, y);
  }
  if (middle.size() < kParameters) return curve;
  double highest = middle.front().second;
  for (const auto& [place, y] : middle) highest = std::max(highest, y);
  const Parameters found = fit_least_squares(
      Parameters{highest, places[places.size() / 2], 1, lowest}, middle, log_rate, slopes);
  curve.ln_p = p[flat];
  curve.sats_p = p[saturates];
  curve.max_bw = best;
  curve.overhead_us = points[flat - 1].us;
  curve.L = found[0];
  curve.x0 = found[1];
  curve.k = found[2];
  curve.b = found[3];
  return curve;
}

}  // namespace orrery::model
