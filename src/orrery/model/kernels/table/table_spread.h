// SPDX-License-Identifier: Apache-2.0
//
// How far a table's answers lie from what is measured, learned from its own points.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "orrery/model/time_estimate.h"

namespace orrery::model {

/// A point that was left out, and what the others say of it.
struct HeldOutPoint {
  double log_answer = 0;  ///< ln seconds
  double log_error = 0;   ///< ln (measured / answered)
  double log_step = 0;    ///< |ln| of how much more or less work than at the nearest point; outside
};

/// Bands that hold 80 % of left-out points: from their 10 % to their 90 % quantile, by length of
/// the answer (small kernels are harder). Tables of fewer than ten left-out points have wide ones
/// that are guessed: -40 to +60 %.
class TableSpread {
 public:
  TableSpread() = default;
  /// `inside`: points between others. `edges`: outermost points, from those next to them.
  TableSpread(std::vector<HeldOutPoint> inside, std::vector<HeldOutPoint> edges);

  [[nodiscard]] ErrorBand inside(double log_answer) const;
  /// Outside: as at the edges and never less than ±25 % or than inside, and the wider the farther
  /// (`log_step`) the answer is carried.
  [[nodiscard]] ErrorBand extrapolated(double log_answer, double log_step) const;

  /// Of all points between others: how many there are, the median of their errors without signs,
  /// as a share, and the band that holds 80 % of them.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  [[nodiscard]] double median_error() const { return typical_; }
  [[nodiscard]] ErrorBand overall() const { return overall_; }

 private:
  void summarize(std::span<const HeldOutPoint> inside);

  struct Part {
    double up_to = 0;  // log_answer
    double low = 0;    // quantiles of log_error
    double high = 0;
  };
  [[nodiscard]] const Part& part(double log_answer) const;

  std::vector<Part> parts_;
  Part edge_;
  double usual_step_ = 1;
  std::size_t left_out_ = 0;
  double typical_ = 0;
  ErrorBand overall_{};
};

}  // namespace orrery::model
