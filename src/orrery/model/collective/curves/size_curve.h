// SPDX-License-Identifier: Apache-2.0
//
// The duration of a collective by size, fitted to measurements: a line for each range of sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace orrery::model {

/// One measured time.
struct SizedTime {
  std::int64_t bytes = 0;
  double us = 0;

  friend bool operator==(const SizedTime&, const SizedTime&) = default;
};

/// Sizes from the end of the previous segment up to `to` last latency + bytes / bandwidth. Adjacent
/// segments need not meet, because a library may change its protocol. In curve_through(), the
/// latency or the slope may be negative, the time never.
struct CurveSegment {
  std::int64_t to = 0;  ///< bytes; in the last segment: the largest measured size
  double latency_us = 0;
  double us_per_byte = 0;

  friend bool operator==(const CurveSegment&, const CurveSegment&) = default;
};

/// Time as a function of size. The first line also holds below the smallest measured size, and the
/// last line above the largest. If the last line does not rise, larger sizes have the time at its
/// end.
class SizeCurve {
 public:
  SizeCurve() = default;
  explicit SizeCurve(std::vector<CurveSegment> segments, std::int64_t from = 0)
      : segments_(std::move(segments)), from_(from) {}

  /// Microseconds; 0 for an empty curve. O(log segments).
  [[nodiscard]] double operator()(std::int64_t bytes) const;
  [[nodiscard]] bool empty() const { return segments_.empty(); }
  [[nodiscard]] const std::vector<CurveSegment>& segments() const { return segments_; }
  /// The smallest and the largest measured size.
  [[nodiscard]] std::int64_t from() const { return from_; }
  [[nodiscard]] std::int64_t to() const { return empty() ? 0 : segments_.back().to; }
  /// Whether the segments meet and the first is constant, as in curve_through().
  [[nodiscard]] bool is_continuous() const;

  friend bool operator==(const SizeCurve&, const SizeCurve&) = default;

 private:
  std::vector<CurveSegment> segments_;
  std::int64_t from_ = 0;
};

/// The curve with the minimum sum of squared relative errors, among curves with at most
/// `max_segments` segments of at least two sizes each. The minimum is exact, by dynamic programming
/// over the ends of segments. Each segment costs three parameters (Schwarz's criterion), so smooth
/// curves have few. `points` ascend in size and are positive. One point gives its time at all
/// sizes. O(max_segments * points²).
[[nodiscard]] SizeCurve fit_curve(std::span<const SizedTime> points, int max_segments = 5);

/// The curve that connects the points by straight lines and is constant below the first. `points`
/// ascend in size and are positive.
[[nodiscard]] SizeCurve curve_through(std::span<const SizedTime> points);

/// The error of a curve at points: median, and the interval of 80 % of further sizes.
struct CurveError {
  double median = 0;            ///< of |predicted / measured - 1|
  double p90 = 0;               ///< 90th percentile of |predicted / measured - 1|; 0: not stated
  double lower = 0, upper = 0;  ///< eighty_percent_interval() of measured / predicted - 1
  std::int64_t points = 0;

  friend bool operator==(const CurveError&, const CurveError&) = default;
};

/// The interval that contains a further error of the same kind with a probability of 80 %: the
/// 0.1 (n + 1)-th and the 0.9 (n + 1)-th of n errors in order. Fewer than nine: minimum and
/// maximum.
[[nodiscard]] std::pair<double, double> eighty_percent_interval(std::vector<double> errors);

/// A function that builds a curve from points.
using CurveMaker = std::function<SizeCurve(std::span<const SizedTime>)>;

/// A held-out size, and the prediction of a curve through other sizes.
struct HeldOutSize {
  std::int64_t bytes = 0;
  double measured_us = 0, predicted_us = 0;
};

/// Predicts each size, except the first and the last, from a curve without it. Two curves are
/// built: from the points with even and with odd indices (each with the first and the last point).
/// Sizes ascend. Empty for fewer than five points.
[[nodiscard]] std::vector<HeldOutSize> held_out_sizes(std::span<const SizedTime> points,
                                                      const CurveMaker& make);

/// The error of predictions at held-out sizes. `points` is 0 if `held` is empty.
[[nodiscard]] CurveError error_of(std::span<const HeldOutSize> held);

/// error_of(held_out_sizes()).
[[nodiscard]] CurveError holdout_curve_error(std::span<const SizedTime> points,
                                             const CurveMaker& make);
/// The same for fit_curve() with at most five segments.
[[nodiscard]] CurveError holdout_curve_error(std::span<const SizedTime> points);

}  // namespace orrery::model
