// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/table_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "orrery/core/statistics/statistics.h"

namespace orrery::model {
namespace {

constexpr std::size_t kMinPoints = 10;     // minimum number of points for a band
constexpr std::size_t kPointsOfPart = 64;  // … for each of several bands
constexpr std::size_t kMaxParts = 12;
constexpr double kGuessedLow = -0.51, kGuessedHigh = 0.47;  // ln of -40 % and +60 %

std::vector<double> errors_of(std::span<const HeldOutPoint> points) {
  std::vector<double> errors;
  errors.reserve(points.size());
  for (const HeldOutPoint& point : points) errors.push_back(point.log_error);
  return errors;
}

}  // namespace

TableSpread::TableSpread(std::vector<HeldOutPoint> inside, std::vector<HeldOutPoint> edges) {
  constexpr double kAll = std::numeric_limits<double>::infinity();
  summarize(inside);
  std::sort(inside.begin(), inside.end(), [](const HeldOutPoint& a, const HeldOutPoint& b) {
    return a.log_answer != b.log_answer ? a.log_answer < b.log_answer : a.log_error < b.log_error;
  });
  const std::size_t parts = std::clamp<std::size_t>(inside.size() / kPointsOfPart, 1, kMaxParts);
  for (std::size_t i = 0; i < parts && inside.size() >= kMinPoints; ++i) {
    const std::size_t from = inside.size() * i / parts, to = inside.size() * (i + 1) / parts;
    std::vector<double> errors = errors_of(std::span(inside).subspan(from, to - from));
    Part part;
    part.up_to = i + 1 == parts ? kAll : inside[to].log_answer;
    part.low = std::min(0.0, quantile_nearest(errors, 0.1));
    part.high = std::max(0.0, quantile_nearest(errors, 0.9));
    parts_.push_back(part);
  }
  if (parts_.empty()) parts_.push_back({kAll, kGuessedLow, kGuessedHigh});
  edge_ = {kAll, kGuessedLow, kGuessedHigh};
  if (edges.size() < kMinPoints) return;
  std::vector<double> errors = errors_of(edges), steps;
  edge_.low = quantile_nearest(errors, 0.1);
  edge_.high = quantile_nearest(errors, 0.9);
  for (const HeldOutPoint& point : edges) steps.push_back(point.log_step);
  median_step_ = std::max(quantile_nearest(steps, 0.5), 0.1);
}

void TableSpread::summarize(std::span<const HeldOutPoint> inside) {
  left_out_ = inside.size();
  if (inside.empty()) return;
  std::vector<double> errors = errors_of(inside);
  overall_ = {std::expm1(quantile_nearest(errors, 0.1)), std::expm1(quantile_nearest(errors, 0.9))};
  for (double& error : errors) error = std::abs(error);
  median_error_ = std::expm1(quantile_nearest(errors, 0.5));
}

const TableSpread::Part& TableSpread::part(double log_answer) const {
  const auto found = std::find_if(parts_.begin(), parts_.end() - 1,
                                  [&](const Part& part) { return log_answer < part.up_to; });
  return *found;
}

ErrorBand TableSpread::inside(double log_answer) const {
  if (parts_.empty()) return {};
  const Part& near = part(log_answer);
  return {std::expm1(near.low), std::expm1(near.high)};
}

ErrorBand TableSpread::extrapolated(double log_answer, double log_step) const {
  if (parts_.empty()) return {};
  const Part& near = part(log_answer);
  // The errors of independent steps add up with the square root of their number.
  const double times = std::sqrt(std::max(1.0, log_step / median_step_));
  const double low = std::min({edge_.low, near.low, std::log(0.75)}) * times;
  const double high = std::max({edge_.high, near.high, std::log(1.25)}) * times;
  return {std::expm1(low), std::expm1(high)};
}

}  // namespace orrery::model
