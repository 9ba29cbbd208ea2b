// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/factor_fit.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "orrery/core/statistics/statistics.h"

namespace orrery::validate {
namespace {

using study::InStepFactor;

/// Factor of trial predictions, which measure how a step depends on the factor.
constexpr double kTrialFactor = 1.2;
/// Limits of a factor from one step.
constexpr double kMinFactor = 0.7, kMaxFactor = 2;

/// One step. `added_16_bit`, `added_narrow`: time added if kernels of 16 bits, or narrower ones,
/// last twice as long.
struct Step {
  std::array<std::string, kLeftOutTraits.size()> traits;
  bool fitted = true;
  std::int64_t bits = 16;  ///< bits of its matrix products
  double measured = 0, predicted = 0;
  double added_16_bit = 0, added_narrow = 0;

  [[nodiscard]] const std::string& source() const { return traits[0]; }
  [[nodiscard]] const std::string& device() const { return traits[3]; }
};
static_assert(kLeftOutTraits[0] == "source" && kLeftOutTraits[3] == "device");

/// The steps that a fit excludes: those with this value of a trait of kLeftOutTraits.
struct LeftOut {
  std::size_t trait = 0;
  std::string value;

  [[nodiscard]] bool has(const Step& step) const { return step.traits[trait] == value; }
  friend auto operator<=>(const LeftOut&, const LeftOut&) = default;
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
  const auto wide = predict_points(with_factor(points, {16}, kTrialFactor), options);
  if (!wide) return tl::unexpected(wide.error());
  std::vector<MeasuredPoint> narrow = with_factor(points, {8, 4}, kTrialFactor);
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
    step = {{}, points[i].fitted, bits_of(prediction), points[i].seconds, prediction.seconds, 0, 0};
    for (std::size_t k = 0; k < kLeftOutTraits.size(); ++k)
      step.traits[k] = prediction.trait(kLeftOutTraits[k]);
    step.added_16_bit = ((*wide)[i].seconds - prediction.seconds) / (kTrialFactor - 1);
    if (step.bits != 16)
      step.added_narrow = ((*narrowed)[i].seconds - prediction.seconds) / (kTrialFactor - 1);
  }
  return all;
}

/// The factor from one step, and the share of kernels of that class in it.
struct FactorSample {
  std::string source;
  double factor = 1, share = 0;
};

/// The factors from all steps of one class.
struct FactorSamples {
  std::vector<FactorSample> factors;

  [[nodiscard]] FittedFactor fitted(std::string device, std::int64_t bits) const {
    std::map<std::string, double> shares;
    for (const FactorSample& one : factors) shares[one.source] += one.share;
    std::vector<WeightedValue> weighted;
    for (const FactorSample& one : factors)
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

/// Fits the factors of a class: separate ones of devices, and one for all others.
std::vector<FittedFactor> fit_class(const std::vector<Step>& steps, std::int64_t bits,
                                    const std::vector<FittedFactor>& wide,
                                    const std::optional<LeftOut>& excluded) {
  std::map<std::string, FactorSamples> by_device;
  FactorSamples of_all;
  for (const Step& step : steps) {
    if (!step.fitted || step.bits != bits || !(step.predicted > 0)) continue;
    if (excluded && excluded->has(step)) continue;
    const double slope = bits == 16 ? step.added_16_bit : step.added_narrow;
    if (!(slope > 0.05 * step.predicted)) continue;  // too few of these kernels
    double rest = step.measured - step.predicted;
    const FittedFactor* known = bits == 16 ? nullptr : factor_for(wide, step.device(), 16);
    if (known != nullptr) rest -= step.added_16_bit * (known->factor - 1);
    const double factor = std::clamp(1 + rest / slope, kMinFactor, kMaxFactor);
    const FactorSample sample{step.source(), factor, slope / step.measured};
    by_device[step.device()].factors.push_back(sample);
    of_all.factors.push_back(sample);
  }
  std::vector<FittedFactor> made;
  for (const auto& [device, samples] : by_device)
    if (samples.factors.size() >= kMinDeviceSteps) made.push_back(samples.fitted(device, bits));
  if (!of_all.factors.empty()) made.push_back(of_all.fitted("", bits));
  return made;
}

std::vector<FittedFactor> fit_steps(const std::vector<Step>& steps,
                                    const std::optional<LeftOut>& excluded) {
  std::vector<FittedFactor> all = fit_class(steps, 16, {}, excluded);
  const std::vector<FittedFactor> wide = all;
  for (const std::int64_t bits : {8, 4}) {
    const std::vector<FittedFactor> narrow = fit_class(steps, bits, wide, excluded);
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

/// The step with these factors, assuming that it is linear in them.
double linear_seconds(const Step& step, const std::vector<FittedFactor>& fitted) {
  const auto added = [&](std::int64_t bits) {
    const FittedFactor* const one = factor_for(fitted, step.device(), bits);
    return one == nullptr ? 0 : one->factor - 1;
  };
  double seconds = step.predicted + step.added_16_bit * added(16);
  if (step.bits != 16) seconds += step.added_narrow * added(step.bits);
  return seconds;
}

/// Fits with one group of steps left out, each once.
class LeftOutFits {
 public:
  explicit LeftOutFits(const std::vector<Step>& steps) : steps_(steps) {}

  const std::vector<FittedFactor>& without(const Step& step, std::size_t trait) {
    LeftOut group{trait, step.traits[trait]};
    if (kLeftOutTraits[trait] == "release" && group.value == kUnstatedRelease) group.value = "";
    const auto [at, fresh] = fits_.try_emplace(group);
    if (fresh) at->second = fit_steps(steps_, group);
    return at->second;
  }

 private:
  const std::vector<Step>& steps_;
  std::map<LeftOut, std::vector<FittedFactor>> fits_;
};

}  // namespace

Result<FactorFit> fit_factors(std::span<const MeasuredPoint> points,
                              const PointPredictionOptions& options) {
  const auto steps = steps_of(points, options);
  if (!steps) return tl::unexpected(steps.error());
  FactorFit fit;
  fit.factors = fit_steps(*steps, std::nullopt);
  LeftOutFits fits(*steps);
  std::vector<MeasuredPoint> all(points.begin(), points.end());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Step& step = (*steps)[i];
    if (!(step.predicted > 0)) continue;
    all[i].question.in_step_factors = factors_for(fits.without(step, 0), step.device());
  }
  auto prediction = predict_points(all, options);
  if (!prediction) return tl::unexpected(prediction.error());
  fit.cross_validated = *std::move(prediction);
  fit.left_out.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Step& step = (*steps)[i];
    if (!(step.predicted > 0)) continue;
    const double base = linear_seconds(step, fits.without(step, 0));
    for (std::size_t k = 0; k < kLeftOutTraits.size(); ++k)
      fit.left_out[i][k] =
          fit.cross_validated[i].seconds * linear_seconds(step, fits.without(step, k)) / base;
  }
  return fit;
}

}  // namespace orrery::validate
