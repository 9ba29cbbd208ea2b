// SPDX-License-Identifier: Apache-2.0
//
// What models of computation and of memory answer.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/core/quantity.h"
#include "orrery/core/time_source.h"

namespace orrery::model {

/// How far measured times were from the answer, as shares of it: -0.1 is a tenth less.
struct ErrorBand {
  double lower = 0;
  double upper = 0;

  friend bool operator==(const ErrorBand&, const ErrorBand&) = default;
};

struct TimeEstimate {
  Time time{};
  TimeSource source = TimeSource::recorded;
  std::optional<ErrorBand> band{};  ///< empty: not known
  bool extrapolated = false;        ///< outside of what the model was measured or trained on

  friend bool operator==(const TimeEstimate&, const TimeEstimate&) = default;
};

}  // namespace orrery::model
