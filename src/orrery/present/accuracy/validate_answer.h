// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery accuracy`, and its plot.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/validate/factor_fit.h"
#include "orrery/validate/scoreboard.h"

namespace orrery::present {

/// Measured points, their predictions and the error summary.
struct Validation {
  std::vector<validate::MeasuredPoint> points;
  std::vector<validate::PointPrediction> predictions;
  validate::Scoreboard board;
  /// All points predicted again with one effect disabled.
  struct Ablation {
    std::string effect;
    validate::ErrorSummary errors;
    std::size_t changed = 0;      ///< points that it changes
    std::vector<double> seconds;  ///< predicted steps, one per point

    /// Whether the step of point `i` changes by more than 0.1 %.
    [[nodiscard]] bool changes(const validate::PointPrediction& prediction, std::size_t i) const {
      return std::abs(seconds[i] - prediction.seconds) > 1e-3 * prediction.seconds;
    }
  };
  std::vector<Ablation> without;
  std::vector<validate::FittedFactor> factors;  ///< fitted; `predictions` exclude their own source
  std::vector<validate::LeftOutSeconds> left_out;  ///< with `factors`: one per point
  std::optional<double> threshold;                 ///< of the median error
  Findings findings;

  /// True (exit code 1) when a threshold is given and the median error is above it.
  [[nodiscard]] bool exceeds_threshold() const {
    return threshold && board.all.median > *threshold;
  }
};

void state_validation(report::Answer& answer, const Validation& validation);
/// Predicted against measured, a panel for each device and precision.
[[nodiscard]] std::string validate_svg(const Validation& validation);

}  // namespace orrery::present
