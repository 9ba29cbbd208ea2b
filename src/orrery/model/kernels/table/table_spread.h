// SPDX-License-Identifier: Apache-2.0
//
// The error of a table's predictions, estimated from its own points.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "orrery/model/time_estimate.h"

namespace orrery::model {

/// A held-out point, and its prediction from the others.
struct HeldOutPoint {
  double log_answer = 0;  ///< ln of predicted seconds
  double log_error = 0;   ///< ln (measured / predicted)
  double log_step = 0;    ///< edges: |ln| of the ratio of work to the nearest point
};

/// Bands that contain 80 % of held-out points, from their 10 % to their 90 % quantile. They depend
/// on the predicted time (small kernels have larger errors). Tables with fewer than ten held-out
/// points have wide assumed bands: -40 to +60 %.
class TableSpread {
 public:
  TableSpread() = default;
  /// `inside`: points between others. `edges`: outermost points, predicted from their neighbors.
  TableSpread(std::vector<HeldOutPoint> inside, std::vector<HeldOutPoint> edges);

  /// The band of a prediction between points.
  [[nodiscard]] ErrorBand inside(double log_answer) const;
  /// The band of an extrapolation: that of the edges, but at least ±25 % and at least inside(). It
  /// grows with the distance `log_step`.
  [[nodiscard]] ErrorBand extrapolated(double log_answer, double log_step) const;

  /// Summary of all points between others: their number, the median of their absolute errors as a
  /// share, and the band of 80 % of them.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  [[nodiscard]] double median_error() const { return median_error_; }
  [[nodiscard]] ErrorBand overall() const { return overall_; }

 private:
  void summarize(std::span<const HeldOutPoint> inside);

  struct Part {
    double up_to = 0;  // upper limit of log_answer
    double low = 0;    // quantiles of log_error
    double high = 0;
  };
  [[nodiscard]] const Part& part(double log_answer) const;

  std::vector<Part> parts_;
  Part edge_;
  double median_step_ = 1;
  std::size_t left_out_ = 0;
  double median_error_ = 0;
  ErrorBand overall_{};
};

}  // namespace orrery::model
