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
#include "orrery/report/text.h"
#include "orrery/validate/errors.h"
#include "orrery/validate/fit.h"

namespace orrery::present {

/// Points, what came of them, and what that amounts to.
struct Validation {
  std::vector<validate::MeasuredPoint> points;
  std::vector<validate::Prediction> predictions;
  validate::Scoreboard board;
  /// All points again without one effect each.
  struct Without {
    std::string effect;
    validate::ErrorSummary errors;
    std::size_t changed = 0;  ///< points whose step is another by more than 0.1 %
  };
  std::vector<Without> without;
  std::vector<validate::FittedFactor> factors;  ///< fitted; `predictions` leave their source out
  std::optional<double> threshold;              ///< of the median error
  Findings findings;

  /// Exit code 1: there is a threshold and the median error is above it.
  [[nodiscard]] bool beyond() const { return threshold && board.all.median > *threshold; }
};

[[nodiscard]] std::string validate_text(const Validation& validation, report::Style style);
[[nodiscard]] std::string validate_json(const Validation& validation);
/// Predicted against measured, a panel for each device and precision.
[[nodiscard]] std::string validate_svg(const Validation& validation);

}  // namespace orrery::present
