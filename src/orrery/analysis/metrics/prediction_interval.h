// SPDX-License-Identifier: Apache-2.0
//
// Prediction intervals of step times and of differences of step times.
//
// Errors within one class (result::ErrorClass) are fully correlated: a class contributes its time
// on the critical path times its relative error interval. Errors of different classes are
// independent: their contributions add in quadrature, separately for the lower and the upper side.
#pragma once

#include <optional>
#include <span>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// The 80 % prediction interval of a step time.
struct StepInterval {
  Time lower{}, upper{};
  Time unknown{};  ///< part of the critical path without a known error: excluded from the interval
};

/// Empty if no class has a known, non-zero error.
[[nodiscard]] std::optional<StepInterval> step_interval(std::span<const result::ErrorClass> classes,
                                                        Time step);

/// The 80 % prediction interval of b's time minus a's.
struct DifferenceInterval {
  Time lower{}, upper{};  ///< 80 % prediction interval
  Time unknown{};         ///< the sum of |b - a| over classes without a known error

  /// Whether the models cannot decide which of the two is shorter.
  [[nodiscard]] bool contains_zero() const { return lower <= Time{} && upper >= Time{}; }
};

/// A step time and the error classes of its parts.
struct PredictedStep {
  Time step{};
  std::span<const result::ErrorClass> classes;
};

/// A class that both runs have has the same relative error in both, so that its errors cancel as
/// far as its times are equal: only the difference contributes. Classes of different devices, or of
/// models from different files, are independent. Empty if no known error contributes.
[[nodiscard]] std::optional<DifferenceInterval> difference_interval(const result::Run& a,
                                                                    const result::Run& b);
/// The same for two steps. `same_models`: both have the same device and model files.
[[nodiscard]] std::optional<DifferenceInterval> difference_interval(const PredictedStep& a,
                                                                    const PredictedStep& b,
                                                                    bool same_models);

}  // namespace orrery::analysis
