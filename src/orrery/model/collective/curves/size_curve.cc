// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/curves/size_curve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>

#include "orrery/core/statistics/least_squares.h"
#include "orrery/core/statistics/statistics.h"

namespace orrery::model {
namespace {

/// A partition of the first points into segments: its error, and the begin of the last segment.
struct Cut {
  double error = std::numeric_limits<double>::infinity();
  std::size_t begin = 0;
};

}  // namespace

double SizeCurve::operator()(std::int64_t bytes) const {
  if (segments_.empty()) return 0;
  auto at =
      std::lower_bound(segments_.begin(), segments_.end() - 1, bytes,
                       [](const CurveSegment& one, std::int64_t size) { return one.to < size; });
  const std::int64_t size = at->us_per_byte > 0 ? bytes : std::min(bytes, at->to);
  return at->latency_us + at->us_per_byte * static_cast<double>(size);
}

bool SizeCurve::is_continuous() const {
  if (segments_.size() < 2 || segments_.front().us_per_byte != 0) return false;
  for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
    const CurveSegment &one = segments_[i], &next = segments_[i + 1];
    const double size = static_cast<double>(one.to);
    const double end = one.latency_us + one.us_per_byte * size;
    if (std::abs(next.latency_us + next.us_per_byte * size - end) > 1e-6 * end) return false;
  }
  return true;
}

SizeCurve curve_through(std::span<const SizedTime> points) {
  if (points.empty()) return {};
  std::vector<CurveSegment> segments = {{points[0].bytes, points[0].us, 0}};
  for (std::size_t i = 1; i < points.size(); ++i) {
    const SizedTime &from = points[i - 1], &to = points[i];
    const double slope = (to.us - from.us) / static_cast<double>(to.bytes - from.bytes);
    segments.push_back({to.bytes, from.us - slope * static_cast<double>(from.bytes), slope});
  }
  return SizeCurve(std::move(segments), points[0].bytes);
}

SizeCurve fit_curve(std::span<const SizedTime> points, int max_segments) {
  const std::size_t n = points.size();
  if (n == 0) return {};
  if (n == 1) return SizeCurve({{points[0].bytes, points[0].us, 0}}, points[0].bytes);
  const double scale = static_cast<double>(std::max<std::int64_t>(points.back().bytes, 1));
  std::vector<std::vector<FittedLine>> lines(n);  // index: [begin][end - begin - 2]
  for (std::size_t begin = 0; begin + 1 < n; ++begin) {
    RelativeLineSums sums;
    const auto add = [&](const SizedTime& point) {
      sums.add(static_cast<double>(point.bytes) / scale, point.us);
    };
    add(points[begin]);
    for (std::size_t end = begin + 1; end < n; ++end) {
      add(points[end]);
      lines[begin].push_back(sums.line());
    }
  }
  const auto parts =
      std::min<std::size_t>(static_cast<std::size_t>(std::max(max_segments, 1)), n / 2);
  std::vector<std::vector<Cut>> cuts(parts + 1, std::vector<Cut>(n + 1));
  cuts[0][0].error = 0;
  for (std::size_t k = 1; k <= parts; ++k) {
    for (std::size_t end = 2; end <= n; ++end) {
      for (std::size_t begin = 0; begin + 2 <= end; ++begin) {
        const double error = cuts[k - 1][begin].error + lines[begin][end - begin - 2].error;
        if (error < cuts[k][end].error) cuts[k][end] = {error, begin};
      }
    }
  }
  std::size_t best = 1;
  double least_cost = std::numeric_limits<double>::infinity();
  const double count = static_cast<double>(n);
  for (std::size_t k = 1; k <= parts; ++k) {
    const double mean = std::max(cuts[k][n].error / count, 1e-6);  // 0.1 % error counts as exact
    const double cost = count * std::log(mean) + 3 * static_cast<double>(k) * std::log(count);
    if (cost < least_cost) {
      least_cost = cost;
      best = k;
    }
  }
  std::vector<CurveSegment> segments(best);
  std::size_t end = n;
  for (std::size_t k = best; k > 0; --k) {
    const std::size_t begin = cuts[k][end].begin;
    const FittedLine& line = lines[begin][end - begin - 2];
    const std::int64_t to =
        end == n ? points[n - 1].bytes : geometric_mean(points[end - 1].bytes, points[end].bytes);
    segments[k - 1] = {to, line.intercept, line.slope / scale};
    end = begin;
  }
  return SizeCurve(std::move(segments), points[0].bytes);
}

std::pair<double, double> eighty_percent_interval(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  return {quantile_weibull_of_sorted(errors, 0.1), quantile_weibull_of_sorted(errors, 0.9)};
}

std::vector<HeldOutSize> held_out_sizes(std::span<const SizedTime> points, const CurveMaker& make) {
  if (points.size() < 5) return {};
  std::vector<HeldOutSize> held(points.size() - 2);
  for (const std::size_t odd : {0U, 1U}) {
    std::vector<SizedTime> retained;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (i == 0 || i + 1 == points.size() || i % 2 == odd) retained.push_back(points[i]);
    const SizeCurve curve = make(retained);
    for (std::size_t i = 1; i + 1 < points.size(); ++i)
      if (i % 2 != odd) held[i - 1] = {points[i].bytes, points[i].us, curve(points[i].bytes)};
  }
  return held;
}

CurveError error_of(std::span<const HeldOutSize> held) {
  CurveError error;
  std::vector<double> off, shares;
  for (const HeldOutSize& one : held) {
    off.push_back(std::abs(one.predicted_us / one.measured_us - 1));
    shares.push_back(one.measured_us / one.predicted_us - 1);
  }
  error.points = static_cast<std::int64_t>(held.size());
  std::sort(off.begin(), off.end());
  error.median = quantile_interpolated_of_sorted(off, 0.5);
  error.p90 = quantile_interpolated_of_sorted(off, 0.9);
  std::tie(error.lower, error.upper) = eighty_percent_interval(std::move(shares));
  return error;
}

CurveError holdout_curve_error(std::span<const SizedTime> points, const CurveMaker& make) {
  return error_of(held_out_sizes(points, make));
}

CurveError holdout_curve_error(std::span<const SizedTime> points) {
  return holdout_curve_error(
      points, [](std::span<const SizedTime> retained) { return fit_curve(retained); });
}

}  // namespace orrery::model
