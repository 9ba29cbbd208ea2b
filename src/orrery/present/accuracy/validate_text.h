// SPDX-License-Identifier: Apache-2.0
//
// What `orrery validate` says: errors as text and as JSON, and the drawing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/report/terminal_text.h"
#include "orrery/validate/factor_fit.h"
#include "orrery/validate/scoreboard.h"

namespace orrery::present {

/// Points, what came of them, and what that amounts to.
struct Validation {
  std::vector<validate::MeasuredPoint> points;
  std::vector<validate::PointPrediction> predictions;
  validate::Scoreboard board;
  /// All points again without one effect each.
  struct Ablation {
    std::string effect;
    validate::ErrorSummary errors;
    std::size_t changed = 0;  ///< points whose step is another by more than 0.1 %
  };
  std::vector<Ablation> without;
  std::vector<validate::FittedFactor> factors;  ///< fitted; `predictions` leave their source out
  std::optional<double> threshold;              ///< of the median error
  Findings findings;

  /// Exit code 1: there is a threshold and the median error is above it.
  [[nodiscard]] bool exceeds_threshold() const {
    return threshold && board.all.median > *threshold;
  }
};

[[nodiscard]] std::string validate_text(const Validation& validation, report::Style style);
[[nodiscard]] std::string validate_json(const Validation& validation);
/// Predicted against measured, a panel for each device and precision.
[[nodiscard]] std::string validate_svg(const Validation& validation);

}  // namespace orrery::present
