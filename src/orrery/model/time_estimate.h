// SPDX-License-Identifier: Apache-2.0
//
// The result of computation and memory models.
#pragma once

#include <algorithm>
#include <optional>

#include "orrery/core/quantity.h"
#include "orrery/core/time_source.h"

namespace orrery::model {

/// Interval of measured times around a prediction, as shares of it: -0.1 is 10 % less.
struct ErrorBand {
  double lower = 0;
  double upper = 0;

  /// The band with both limits multiplied by `by`; times stay above 0.
  [[nodiscard]] ErrorBand widened(double by) const {
    return {std::max(-0.95, lower * by), upper * by};
  }
  friend bool operator==(const ErrorBand&, const ErrorBand&) = default;
};

struct TimeEstimate {
  Time time{};
  TimeSource source = TimeSource::recorded;
  std::optional<ErrorBand> band{};  ///< empty: unknown
  bool extrapolated = false;        ///< outside the range of the model's measurements

  friend bool operator==(const TimeEstimate&, const TimeEstimate&) = default;
};

}  // namespace orrery::model
