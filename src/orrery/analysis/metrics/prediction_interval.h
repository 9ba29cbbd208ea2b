// SPDX-License-Identifier: Apache-2.0
//
// Prediction intervals of step times and of differences of step times.
//
// Errors within one class (result::ErrorClass) are fully correlated: a class contributes its time
// on the critical path times its relative error interval. Errors of different classes are
// independent: their contributions add in quadrature, separately for the lower and the upper side.
//
// Parts without a known error are one class, with the errors of kUnknownError. Where they are more
// than kMaxUnknownShare, too little is known for an interval.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// The largest share of a step, or of the differences of two steps, without a known error of which
/// an interval is stated.
inline constexpr double kMaxUnknownShare = 0.2;

/// The error of parts without a known one, relative to their time. Such parts are lower bounds, as
/// the roofline of a kernel is: this is the 80 % interval of measured kernels relative to their
/// roofline, weighted by time, in the class where it is widest: 29,846 grouped products with fp8
/// blocks, of 21 classes of the public tables that data/kernels/README.md describes (there is the
/// command that makes it again).
inline constexpr struct { double lower = 0.20, upper = 4.02; } kUnknownError;

/// "+20 to +402 % (measured kernels against their roofline, widest class)"
[[nodiscard]] std::string unknown_error_text();

/// The 80 % prediction interval of a step time.
struct StepInterval {
  Time lower{}, upper{};
  Time unknown{};  ///< part of the critical path without a known error: has kUnknownError
};

/// Empty if no error contributes, or too much of the step has no known error.
[[nodiscard]] std::optional<StepInterval> step_interval(std::span<const result::ErrorClass> classes,
                                                        Time step);

/// Why the step has no interval: "89.8 % of the critical path (mainly roofline) has no known error;
/// an interval needs 80 % with one". Empty if it has one, or if no error contributes because all
/// times are recorded.
[[nodiscard]] std::string no_interval_reason(std::span<const result::ErrorClass> classes,
                                             Time step);

/// "0.5 % of the critical path (mainly waiting)": the part of a step without a known error; empty
/// if there is none.
[[nodiscard]] std::string unknown_part_text(std::span<const result::ErrorClass> classes, Time step);

/// The 80 % prediction interval of b's time minus a's.
struct DifferenceInterval {
  Time lower{}, upper{};  ///< 80 % prediction interval
  Time unknown{};         ///< the sum of |b - a| over classes without a known error

  /// Whether the models cannot decide which of the two is shorter.
  [[nodiscard]] bool contains_zero() const { return lower <= Time{} && upper >= Time{}; }
};

/// The difference of two steps: its interval, or why it has none. Both are empty if no error
/// contributes.
struct StepDifference {
  std::optional<DifferenceInterval> interval;
  std::string no_interval_reason;  ///< "63 % of what differs (mainly network) has no …"
};

/// A step time and the error classes of its parts.
struct PredictedStep {
  Time step{};
  std::span<const result::ErrorClass> classes;
};

/// A class that both runs have has the same relative error in both, so that its errors cancel as
/// far as its times are equal: only the difference contributes. Classes of different devices, or of
/// models from different files, are independent. Nothing of runs that stalled.
[[nodiscard]] StepDifference step_difference(const result::Run& a, const result::Run& b);
/// The same for two steps. `same_models`: both have the same device and model files.
[[nodiscard]] StepDifference step_difference(const PredictedStep& a, const PredictedStep& b,
                                             bool same_models);

}  // namespace orrery::analysis
