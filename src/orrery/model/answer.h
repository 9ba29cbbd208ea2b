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
  double least = 0;
  double most = 0;

  friend bool operator==(const ErrorBand&, const ErrorBand&) = default;
};

struct Answer {
  Time time{};
  TimeSource source = TimeSource::recorded;
  std::optional<ErrorBand> band{};  ///< empty: not known
  bool beyond = false;              ///< outside of what the model was measured or trained on

  friend bool operator==(const Answer&, const Answer&) = default;
};

}  // namespace orrery::model
