// SPDX-License-Identifier: Apache-2.0
//
// Between what a true step lies, as far as it is known how far off models are.
//
// Errors of one class (result::ErrorClass) move together, so its part of the path times its band is
// what it adds. Errors of two classes have nothing to do with each other: what they add sums as the
// root of squares, up and down apart.
#pragma once

#include <optional>
#include <span>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// 80 % of true steps lie in it.
struct StepInterval {
  Time lower{}, upper{};
  Time unknown{};  ///< of the critical path, nobody knows how far off it is: the band leaves it out
};

/// Empty where no class has an error of its own that is known.
[[nodiscard]] std::optional<StepInterval> step_interval(std::span<const result::ErrorClass> classes,
                                                        Time step);

/// How much longer b takes than a.
struct DifferenceInterval {
  Time lower{}, upper{};  ///< 80 % of true differences lie in it
  Time unknown{};         ///< by how much what nobody knows the error of differs, class by class

  /// Models cannot tell which of the two is shorter.
  [[nodiscard]] bool contains_zero() const { return lower <= Time{} && upper >= Time{}; }
};

/// A step, and by whom it is told.
struct PredictedStep {
  Time step{};
  std::span<const result::ErrorClass> classes;
};

/// Errors of a class that both runs have are the same in both, and cancel as far as the two have it
/// alike: only how much their parts differ counts. Classes of two devices, or of models from other
/// files, have nothing in common. Empty where no error that is known makes a difference.
[[nodiscard]] std::optional<DifferenceInterval> difference_interval(const result::Run& a,
                                                                    const result::Run& b);
/// … of steps of one device and the same models, or not.
[[nodiscard]] std::optional<DifferenceInterval> difference_interval(const PredictedStep& a,
                                                                    const PredictedStep& b,
                                                                    bool same_models);

}  // namespace orrery::analysis
