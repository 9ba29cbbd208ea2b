// SPDX-License-Identifier: Apache-2.0
//
// What a collective takes by size, fitted to measurements: a line for each range of sizes.
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

/// Sizes up to `to` (from where the one before it ends) take latency + bytes / bandwidth. A library
/// changes its protocol from one to the next, so times need not meet there. Between two measured
/// sizes (curve_through) either may be negative, the time never.
struct CurveSegment {
  std::int64_t to = 0;  ///< bytes; of the last one: the largest size that was measured
  double latency_us = 0;
  double us_per_byte = 0;

  friend bool operator==(const CurveSegment&, const CurveSegment&) = default;
};

/// Time over size. Below the first measured size the first line holds, beyond the last the last
/// (where that does not rise, its end).
class SizeCurve {
 public:
  SizeCurve() = default;
  explicit SizeCurve(std::vector<CurveSegment> segments, std::int64_t from = 0)
      : segments_(std::move(segments)), from_(from) {}

  /// Microseconds; 0 for an empty curve. O(log stretches).
  [[nodiscard]] double operator()(std::int64_t bytes) const;
  [[nodiscard]] bool empty() const { return segments_.empty(); }
  [[nodiscard]] const std::vector<CurveSegment>& segments() const { return segments_; }
  /// The smallest and largest size that was measured.
  [[nodiscard]] std::int64_t from() const { return from_; }
  [[nodiscard]] std::int64_t to() const { return empty() ? 0 : segments_.back().to; }
  /// The stretches meet and the first is flat: a curve through points.
  [[nodiscard]] bool is_continuous() const;

  friend bool operator==(const SizeCurve&, const SizeCurve&) = default;

 private:
  std::vector<CurveSegment> segments_;
  std::int64_t from_ = 0;
};

/// The curve of at most `max_segments` stretches, each of at least two sizes, with the least sum of
/// squared relative errors: exact, by dynamic programming over where stretches end. A stretch more
/// has to pay for its three parameters (Schwarz's criterion), so that smooth curves get few.
/// `points` ascend in size and are positive; one point gives its own time at all sizes.
/// O(max_segments * points²).
[[nodiscard]] SizeCurve fit_curve(std::span<const SizedTime> points, int max_segments = 5);

/// The curve that says of each size what was measured, and between two of them what lies on the
/// straight line from one to the other; below the first it is flat. `points` ascend in size and are
/// positive.
[[nodiscard]] SizeCurve curve_through(std::span<const SizedTime> points);

/// How far a curve is from points: medians and the band in which four of five further sizes lie.
struct CurveError {
  double median = 0;            ///< of |predicted / measured - 1|
  double p90 = 0;               ///< its 90th percentile; 0: not said
  double lower = 0, upper = 0;  ///< eighty_percent_interval() of measured / predicted - 1
  std::int64_t points = 0;

  friend bool operator==(const CurveError&, const CurveError&) = default;
};

/// Between which of so many errors a further one of their kind lies with a chance of four in five:
/// the 0.1 (n + 1)-th and the 0.9 (n + 1)-th of them in order; of fewer than nine the outermost.
[[nodiscard]] std::pair<double, double> eighty_percent_interval(std::vector<double> errors);

/// What makes a curve of points.
using CurveMaker = std::function<SizeCurve(std::span<const SizedTime>)>;

/// A size that was left out, and what a curve of others says of it.
struct HeldOutSize {
  std::int64_t bytes = 0;
  double measured_us = 0, predicted_us = 0;
};

/// What a curve of every other point says of those between: each size but the first and last is
/// left out once in two curves (even places, odd places). Sizes ascend; nothing below five points.
[[nodiscard]] std::vector<HeldOutSize> held_back(std::span<const SizedTime> points,
                                                 const CurveMaker& make);

/// How far such predictions are from what was measured; no points for none.
[[nodiscard]] CurveError error_of(std::span<const HeldOutSize> held);

/// Both.
[[nodiscard]] CurveError holdout_curve_error(std::span<const SizedTime> points,
                                             const CurveMaker& make);
/// The same of fit_curve() with at most five stretches.
[[nodiscard]] CurveError holdout_curve_error(std::span<const SizedTime> points);

}  // namespace orrery::model
