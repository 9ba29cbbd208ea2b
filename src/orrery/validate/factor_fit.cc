// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/factor_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "orrery/core/statistics/statistics.h"

namespace orrery::validate {
namespace {

using study::InStepFactor;

/// A factor that steps are tried with, to see how they depend on it.
constexpr double kTried = 1.2;
/// What a step can say of a factor.
constexpr double kLeastFactor = 0.7, kMostFactor = 2;

/// One step, and what kernels of 16 bits and narrower ones add to it if they take twice as long.
struct Step {
  std::string device, source;
  std::int64_t bits = 16;  ///< of its products
  double measured = 0, predicted = 0;
  double by_wide = 0, by_narrow = 0;
};

std::int64_t bits_of(const PointPrediction& prediction) {
  const std::string& precision = prediction.trait("precision");
  if (precision == "fp8") return 8;
  if (precision == "fp4") return 4;
  return 16;
}

std::vector<MeasuredPoint> with_factor(std::span<const MeasuredPoint> points,
                                       const std::vector<std::int64_t>& bits, double factor) {
  std::vector<MeasuredPoint> all(points.begin(), points.end());
  for (MeasuredPoint& point : all) {
    std::vector<InStepFactor> factors;
    for (const std::int64_t one : bits) factors.push_back({one, factor, 0, 0});
    point.question.in_step_factors = std::move(factors);
  }
  return all;
}

Result<std::vector<Step>> steps_of(std::span<const MeasuredPoint> points,
                                   const PointPredictionOptions& options) {
  const auto base = predict_points(with_factor(points, {}, 1), options);
  if (!base) return tl::unexpected(base.error());
  const auto wide = predict_points(with_factor(points, {16}, kTried), options);
  if (!wide) return tl::unexpected(wide.error());
  std::vector<MeasuredPoint> narrow = with_factor(points, {8, 4}, kTried);
  for (std::size_t i = 0; i < points.size(); ++i)
    if ((*base)[i].skip_reason.empty() && bits_of((*base)[i]) == 16)
      narrow[i].skip_reason = "as before";
  const auto narrowed = predict_points(narrow, options);
  if (!narrowed) return tl::unexpected(narrowed.error());
  std::vector<Step> all(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointPrediction& prediction = (*base)[i];
    if (!prediction.skip_reason.empty()) continue;
    Step& step = all[i];
    step = {prediction.trait("device"),
            points[i].source,
            bits_of(prediction),
            points[i].seconds,
            prediction.seconds,
            0,
            0};
    step.by_wide = ((*wide)[i].seconds - prediction.seconds) / (kTried - 1);
    if (step.bits != 16)
      step.by_narrow = ((*narrowed)[i].seconds - prediction.seconds) / (kTried - 1);
  }
  return all;
}

/// What one step says, and the share of it that is kernels of that class.
struct Saying {
  std::string source;
  double factor = 1, share = 0;
};

/// What steps of one class say.
struct Said {
  std::vector<Saying> factors;

  [[nodiscard]] FittedFactor fitted(std::string device, std::int64_t bits) const {
    std::map<std::string, double> shares;
    for (const Saying& one : factors) shares[one.source] += one.share;
    std::vector<WeightedValue> weighted;
    for (const Saying& one : factors)
      weighted.push_back({one.factor, one.share / shares[one.source]});
    FittedFactor made{std::move(device), bits,         weighted_median(weighted), 0, 0,
                      factors.size(),    shares.size()};
    made.lower = std::min(0., weighted_quantile(weighted, 0.1) / made.factor - 1);
    made.upper = std::max(0., weighted_quantile(weighted, 0.9) / made.factor - 1);
    return made;
  }
};

const FittedFactor* factor_for(const std::vector<FittedFactor>& factors, const std::string& device,
                               std::int64_t bits) {
  const FittedFactor* of_all = nullptr;
  for (const FittedFactor& one : factors) {
    if (one.bits != bits) continue;
    if (one.device == device) return &one;
    if (one.device.empty()) of_all = &one;
  }
  return of_all;
}

/// Devices' own factors of a class, and that of all others.
std::vector<FittedFactor> fit_class(const std::vector<Step>& steps, std::int64_t bits,
                                    const std::vector<FittedFactor>& wide,
                                    const std::string& left_out) {
  std::map<std::string, Said> by_device;
  Said of_all;
  for (const Step& step : steps) {
    if (step.bits != bits || !(step.predicted > 0) || step.source == left_out) continue;
    const double slope = bits == 16 ? step.by_wide : step.by_narrow;
    if (!(slope > 0.05 * step.predicted)) continue;  // it says nothing of these kernels
    double rest = step.measured - step.predicted;
    const FittedFactor* known = bits == 16 ? nullptr : factor_for(wide, step.device, 16);
    if (known != nullptr) rest -= step.by_wide * (known->factor - 1);
    const double factor = std::clamp(1 + rest / slope, kLeastFactor, kMostFactor);
    const Saying said{step.source, factor, slope / step.measured};
    by_device[step.device].factors.push_back(said);
    of_all.factors.push_back(said);
  }
  std::vector<FittedFactor> made;
  for (const auto& [device, said] : by_device)
    if (said.factors.size() >= kMinDeviceSteps) made.push_back(said.fitted(device, bits));
  if (!of_all.factors.empty()) made.push_back(of_all.fitted("", bits));
  return made;
}

/// To all steps but those of one source; an empty name is no source.
std::vector<FittedFactor> fit_steps(const std::vector<Step>& steps, const std::string& left_out) {
  std::vector<FittedFactor> all = fit_class(steps, 16, {}, left_out);
  const std::vector<FittedFactor> wide = all;
  for (const std::int64_t bits : {8, 4}) {
    const std::vector<FittedFactor> narrow = fit_class(steps, bits, wide, left_out);
    all.insert(all.end(), narrow.begin(), narrow.end());
  }
  return all;
}

std::vector<InStepFactor> factors_for(const std::vector<FittedFactor>& fitted,
                                      const std::string& device) {
  std::vector<InStepFactor> made;
  for (const std::int64_t bits : {16, 8, 4})
    if (const FittedFactor* one = factor_for(fitted, device, bits))
      made.push_back({bits, one->factor, one->lower, one->upper});
  return made;
}

}  // namespace

Result<FactorFit> fit_factors(std::span<const MeasuredPoint> points,
                              const PointPredictionOptions& options) {
  const auto steps = steps_of(points, options);
  if (!steps) return tl::unexpected(steps.error());
  FactorFit fit;
  constexpr const char* kNobody = "\n";
  fit.factors = fit_steps(*steps, kNobody);
  std::map<std::string, std::vector<FittedFactor>> without;
  std::vector<MeasuredPoint> all(points.begin(), points.end());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Step& step = (*steps)[i];
    if (!(step.predicted > 0)) continue;
    const auto [at, fresh] = without.try_emplace(step.source);
    if (fresh) at->second = fit_steps(*steps, step.source);
    all[i].question.in_step_factors = factors_for(at->second, step.device);
  }
  auto prediction = predict_points(all, options);
  if (!prediction) return tl::unexpected(prediction.error());
  fit.left_out = *std::move(prediction);
  return fit;
}

}  // namespace orrery::validate
