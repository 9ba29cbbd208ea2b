// SPDX-License-Identifier: Apache-2.0
//
// Least-squares fits: a line with minimal relative errors, and curves with a few parameters.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace orrery {

/// y = intercept + slope x
struct FittedLine {
  double intercept = 0, slope = 0;
  double error = 0;  ///< sum of squared relative errors
};

/// Sums over points from which their line follows in O(1): weighted least squares. Each point has
/// the weight 1 / y^2, so that errors are relative to y.
class RelativeLineSums {
 public:
  /// `y` is above 0.
  void add(double x, double y);

  /// The line that minimizes the sum of ((intercept + slope x)/y - 1)^2, with intercept and slope
  /// at least 0, by the normal equations. If one is negative there, the better of y = intercept and
  /// y = slope x. Requires at least one point.
  [[nodiscard]] FittedLine line() const;

 private:
  [[nodiscard]] double error_of(const FittedLine& line) const;

  double n_ = 0;          // points
  double w_ = 0, x_ = 0;  // 1 / y, x / y
  double ww_ = 0, wx_ = 0, xx_ = 0;
};

/// A system of kUnknowns equations; the right side is the last column.
template <std::size_t kUnknowns>
using LinearEquations = std::array<std::array<double, kUnknowns + 1>, kUnknowns>;

/// Solves `rows` by Gauss-Jordan elimination with the largest pivot of each column. If that pivot
/// is below 1e-30, the unknown is 0. O(kUnknowns^3)
template <std::size_t kUnknowns>
[[nodiscard]] std::array<double, kUnknowns> solve_linear(LinearEquations<kUnknowns> rows) {
  for (std::size_t c = 0; c < kUnknowns; ++c) {
    const auto largest = std::max_element(
        rows.begin() + static_cast<std::ptrdiff_t>(c), rows.end(),
        [c](const auto& a, const auto& b) { return std::abs(a[c]) < std::abs(b[c]); });
    std::swap(rows[c], *largest);
    if (std::abs(rows[c][c]) < 1e-30) continue;
    for (std::size_t r = 0; r < kUnknowns; ++r) {
      if (r == c) continue;
      const double times = rows[r][c] / rows[c][c];
      for (std::size_t i = c; i <= kUnknowns; ++i) rows[r][i] -= times * rows[c][i];
    }
  }
  std::array<double, kUnknowns> found{};
  for (std::size_t c = 0; c < kUnknowns; ++c)
    found[c] = std::abs(rows[c][c]) < 1e-30 ? 0 : rows[c][kUnknowns] / rows[c][c];
  return found;
}

/// The parameters near `at` that minimize the sum of (curve(parameters, x) - y)^2 over `points` (x,
/// y). `gradient(parameters, x)` returns the derivative of the curve by each parameter. Uses damped
/// Gauss-Newton steps and accepts a step only if it reduces the sum. It stops when a step reduces
/// the sum by less than 1e-15 of it, when the damping reaches 1e12, or after 500 steps. O(points)
/// per step. Source: Marquardt, "An algorithm for least-squares estimation of nonlinear parameters"
/// (Journal of the Society for Industrial and Applied Mathematics 11(2), 1963).
template <std::size_t kParameters, class Curve, class Gradient>
[[nodiscard]] std::array<double, kParameters> fit_least_squares(
    std::array<double, kParameters> at, std::span<const std::pair<double, double>> points,
    const Curve& curve, const Gradient& gradient) {
  using Parameters = std::array<double, kParameters>;
  const auto squares = [&](const Parameters& parameters) {
    double sum = 0;
    for (const auto& [x, y] : points) {
      const double off = curve(parameters, x) - y;
      sum += off * off;
    }
    return sum;
  };
  double damping = 1e-3;
  double error = squares(at);
  for (int step = 0; step < 500 && damping < 1e12; ++step) {
    LinearEquations<kParameters> rows{};
    for (const auto& [x, y] : points) {
      const Parameters slope = gradient(at, x);
      const double off = y - curve(at, x);
      for (std::size_t r = 0; r < kParameters; ++r) {
        for (std::size_t c = 0; c < kParameters; ++c) rows[r][c] += slope[r] * slope[c];
        rows[r][kParameters] += slope[r] * off;
      }
    }
    for (std::size_t r = 0; r < kParameters; ++r) rows[r][r] *= 1 + damping;
    const Parameters by = solve_linear<kParameters>(rows);
    Parameters next = at;
    for (std::size_t i = 0; i < kParameters; ++i) next[i] += by[i];
    const double now = squares(next);
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

}  // namespace orrery
