// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/prediction_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"

namespace orrery::analysis {

using result::ErrorClass;
using result::Run;

namespace {

/// Adds the contributions of independent classes in quadrature, in picoseconds.
class Sides {
 public:
  /// Adds a class whose errors contribute from `lower` to `upper`.
  void add(double lower, double upper) {
    below_ += square(std::min({lower, upper, 0.0}));
    above_ += square(std::max({lower, upper, 0.0}));
    any_ = any_ || lower != 0 || upper != 0;
  }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] Time below(Time middle) const { return shifted(middle, -std::sqrt(below_)); }
  [[nodiscard]] Time above(Time middle) const { return shifted(middle, std::sqrt(above_)); }

 private:
  static double square(double x) { return x * x; }
  static Time shifted(Time middle, double by) {
    constexpr double kMax = 4e18;
    return Time(std::llround(std::clamp(static_cast<double>(middle.count()) + by, -kMax, kMax)));
  }

  double below_ = 0, above_ = 0;
  bool any_ = false;
};

double count(Time time) { return static_cast<double>(time.count()); }

/// The time and error of a class in both runs.
struct Both {
  Time a{}, b{};
  result::ErrorInterval off_a, off_b;
};

/// Whether a class name refers to the same model in both.
bool same_models(const Run& a, const Run& b) {
  constexpr std::array kFacts = {"orrery", "kernel_table_hash", "kernel_model_hash",
                                 "systolic_hash"};
  return a.device == b.device && std::all_of(kFacts.begin(), kFacts.end(), [&](const char* fact) {
           return a.fact(fact) == b.fact(fact);
         });
}

Time unknown_time(std::span<const ErrorClass> classes) {
  Time unknown{};
  for (const ErrorClass& one : classes)
    if (!one.off) unknown = saturating_sum(unknown, one.time);
  return unknown;
}

bool is_too_much(double unknown, double all) { return unknown > kMaxUnknownShare * all; }

/// "an interval needs 80 % with one"
std::string required_text() {
  return fmt::format("an interval needs {:.0f} % with one", 100 * (1 - kMaxUnknownShare));
}

/// The class of the most time without a known error.
std::string_view longest_unknown(std::span<const ErrorClass> classes) {
  const ErrorClass* longest = nullptr;
  for (const ErrorClass& one : classes)
    if (!one.off && (longest == nullptr || one.time > longest->time)) longest = &one;
  return longest == nullptr ? std::string_view() : longest->name;
}

/// What two steps have in common and apart.
class Difference {
 public:
  Difference(const PredictedStep& a, const PredictedStep& b, bool same_models) {
    for (const ErrorClass& one : a.classes) {
      Both& both = classes_[{one.name, one.off.has_value(), !same_models}];
      both.a = one.time;
      both.off_a = one.off.value_or(result::ErrorInterval{});
    }
    for (const ErrorClass& one : b.classes) {
      Both& both = classes_[{one.name, one.off.has_value(), false}];
      both.b = one.time;
      both.off_b = one.off.value_or(result::ErrorInterval{});
    }
  }

  [[nodiscard]] StepDifference interval(Time middle) const {
    Sides sides;
    double known = 0, longer = 0, shorter = 0, most = 0;
    std::string_view longest;
    for (const auto& [key, both] : classes_) {
      const double change = count(both.b) - count(both.a);
      if (std::get<1>(key)) {
        known += std::abs(change);
        sides.add(count(both.off_b.lower) - count(both.off_a.lower),
                  count(both.off_b.upper) - count(both.off_a.upper));
        continue;
      }
      (change > 0 ? longer : shorter) += change;
      if (std::abs(change) > most) longest = std::get<0>(key);
      most = std::max(most, std::abs(change));
    }
    const double unknown = longer - shorter;
    if (is_too_much(unknown, known + unknown))
      return {std::nullopt, fmt::format("{} of what differs (mainly {}) has no known error; {}",
                                        share_text(unknown / (known + unknown)), printable(longest),
                                        required_text())};
    sides.add(shorter * kUnknownError.upper, longer * kUnknownError.upper);
    if (!sides.any()) return {};
    return {DifferenceInterval{sides.below(middle), sides.above(middle),
                               Time(std::llround(std::min(unknown, 4e18)))},
            ""};
  }

 private:
  std::map<std::tuple<std::string, bool, bool>, Both> classes_;  // name; error known; only in a
};

}  // namespace

std::string unknown_error_text() {
  return fmt::format("{:+.0f} to {:+.0f} % (measured kernels against their roofline, widest class)",
                     100 * kUnknownError.lower, 100 * kUnknownError.upper);
}

std::string unknown_part_text(std::span<const ErrorClass> classes, Time step) {
  const Time unknown = std::min(unknown_time(classes), step);
  if (unknown <= Time{}) return "";
  return fmt::format("{} of the critical path (mainly {})",
                     share_text(count(unknown) / count(step)), printable(longest_unknown(classes)));
}

std::string no_interval_reason(std::span<const ErrorClass> classes, Time step) {
  if (!is_too_much(count(unknown_time(classes)), count(step))) return "";
  return fmt::format("{} has no known error; {}", unknown_part_text(classes, step),
                     required_text());
}

std::optional<StepInterval> step_interval(std::span<const ErrorClass> classes, Time step) {
  const Time unknown = std::min(unknown_time(classes), step);
  if (is_too_much(count(unknown), count(step))) return std::nullopt;
  Sides sides;
  for (const ErrorClass& one : classes)
    if (one.off) sides.add(count(one.off->lower), count(one.off->upper));
  sides.add(count(unknown) * kUnknownError.lower, count(unknown) * kUnknownError.upper);
  if (!sides.any()) return std::nullopt;
  return StepInterval{std::max(Time{}, sides.below(step)), sides.above(step), unknown};
}

StepDifference step_difference(const Run& a, const Run& b) {
  if (a.stalled || b.stalled) return {};
  return step_difference({a.step, a.error_classes}, {b.step, b.error_classes}, same_models(a, b));
}

StepDifference step_difference(const PredictedStep& a, const PredictedStep& b, bool same) {
  return Difference(a, b, same).interval(b.step - a.step);
}

}  // namespace orrery::analysis
