// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/curves/lin_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace orrery::model {
namespace {

constexpr double kEps = 4e-4;  // that code adds it to every bandwidth
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

double squares(const Parameters& at, std::span<const std::pair<double, double>> points) {
  double sum = 0;
  for (const auto& [p, y] : points) {
    const double off = log_rate(at, p) - y;
    sum += off * off;
  }
  return sum;
}

using Equations = std::array<std::array<double, kParameters + 1>, kParameters>;

/// Gauss elimination with the largest pivot; where there is none that unknown is 0.
Parameters solve(Equations rows) {
  for (std::size_t c = 0; c < kParameters; ++c) {
    const auto largest = std::max_element(
        rows.begin() + static_cast<std::ptrdiff_t>(c), rows.end(),
        [c](const auto& a, const auto& b) { return std::abs(a[c]) < std::abs(b[c]); });
    std::swap(rows[c], *largest);
    if (std::abs(rows[c][c]) < 1e-30) continue;
    for (std::size_t r = 0; r < kParameters; ++r) {
      if (r == c) continue;
      const double times = rows[r][c] / rows[c][c];
      for (std::size_t i = c; i <= kParameters; ++i) rows[r][i] -= times * rows[c][i];
    }
  }
  Parameters found{};
  for (std::size_t c = 0; c < kParameters; ++c)
    found[c] = std::abs(rows[c][c]) < 1e-30 ? 0 : rows[c][kParameters] / rows[c][c];
  return found;
}

/// Levenberg and Marquardt's steps, each accepted only when it is better.
Parameters least_squares(Parameters at, std::span<const std::pair<double, double>> points) {
  double damping = 1e-3;
  double error = squares(at, points);
  for (int step = 0; step < 500 && damping < 1e12; ++step) {
    Equations rows{};
    for (const auto& [p, y] : points) {
      const Parameters slope = slopes(at, p);
      const double off = y - log_rate(at, p);
      for (std::size_t r = 0; r < kParameters; ++r) {
        for (std::size_t c = 0; c < kParameters; ++c) rows[r][c] += slope[r] * slope[c];
        rows[r][kParameters] += slope[r] * off;
      }
    }
    for (std::size_t r = 0; r < kParameters; ++r) rows[r][r] *= 1 + damping;
    const Parameters by = solve(rows);
    Parameters next = at;
    for (std::size_t i = 0; i < kParameters; ++i) next[i] += by[i];
    const double now = squares(next, points);
    if (!(now < error)) {
      damping *= 10;
      continue;
    }
    const bool done = error - now < 1e-15 * error;
    at = next;
    error = now;
    damping = std::max(damping / 10, 1e-12);
    if (done) break;
  }
  return at;
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
  const Parameters found = least_squares({highest, places[places.size() / 2], 1, lowest}, middle);
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
