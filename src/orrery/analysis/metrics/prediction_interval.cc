// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/prediction_interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

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

}  // namespace

std::optional<StepInterval> step_interval(std::span<const ErrorClass> classes, Time step) {
  Sides sides;
  Time unknown{};
  for (const ErrorClass& one : classes) {
    if (one.off)
      sides.add(count(one.off->lower), count(one.off->upper));
    else
      unknown = saturating_sum(unknown, one.time);
  }
  if (!sides.any()) return std::nullopt;
  return StepInterval{std::max(Time{}, sides.below(step)), sides.above(step),
                      std::min(unknown, step)};
}

std::optional<DifferenceInterval> difference_interval(const Run& a, const Run& b) {
  if (a.stalled || b.stalled) return std::nullopt;
  return difference_interval({a.step, a.error_classes}, {b.step, b.error_classes},
                             same_models(a, b));
}

std::optional<DifferenceInterval> difference_interval(const PredictedStep& a,
                                                      const PredictedStep& b, bool same) {
  if (!(step_interval(a.classes, a.step) || step_interval(b.classes, b.step))) return std::nullopt;
  std::map<std::tuple<std::string, bool, bool>, Both> classes;  // by name; error known; only in a
  for (const ErrorClass& one : a.classes) {
    Both& both = classes[{one.name, one.off.has_value(), !same}];
    both.a = one.time;
    both.off_a = one.off.value_or(result::ErrorInterval{});
  }
  for (const ErrorClass& one : b.classes) {
    Both& both = classes[{one.name, one.off.has_value(), false}];
    both.b = one.time;
    both.off_b = one.off.value_or(result::ErrorInterval{});
  }
  Sides sides;
  double unknown = 0;
  for (const auto& [key, both] : classes) {
    if (std::get<1>(key))
      sides.add(count(both.off_b.lower) - count(both.off_a.lower),
                count(both.off_b.upper) - count(both.off_a.upper));
    else
      unknown += std::abs(count(both.b) - count(both.a));
  }
  if (!sides.any()) return std::nullopt;
  const Time middle = b.step - a.step;
  return DifferenceInterval{sides.below(middle), sides.above(middle),
                            Time(std::llround(std::min(unknown, 4e18)))};
}

}  // namespace orrery::analysis
