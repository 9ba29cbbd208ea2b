// SPDX-License-Identifier: Apache-2.0
//
// Simulated true step times, to validate prediction intervals: samples one error for each model
// class from a distribution with the error band that the model states, and simulates the step with
// these errors.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "orrery/graph/content_hash.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/compute/step_overhead.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/sim/observe/path_error_classes.h"
#include "orrery/sim/simulate.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study::sampled_errors {

/// Sampled errors of model classes. Equal seeds and names give equal errors.
class ErrorSamples {
 public:
  explicit ErrorSamples(std::uint64_t seed) : seed_(seed) {}

  /// Factor on the predicted time: 1 at the median, 1 + lower at the 10th percentile, 1 + upper at
  /// the 90th percentile; log-normal on each side of the median.
  [[nodiscard]] double factor(const std::string& name, const model::ErrorBand& band) const {
    constexpr double kTenth =
        1.2815515655446004;  // 90th percentile of a standard normal distribution
    graph::ContentHash hash;
    hash.add(name);
    std::mt19937_64 random(hash.value() ^ (seed_ * 0x9e3779b97f4a7c15ull));
    random.discard(2);
    const double z = std::normal_distribution<double>()(random) / kTenth;
    return z < 0 ? std::exp(-z * std::log1p(band.lower)) : std::exp(z * std::log1p(band.upper));
  }

 private:
  std::uint64_t seed_;
};

/// The platform's kernel models, with the sampled error of each class.
class PerturbedKernels final : public model::KernelModel {
 public:
  PerturbedKernels(const platform::Device& device, std::shared_ptr<ErrorSamples> draws)
      : models_(models_of(device)),
        gap_(seconds(model::launch_gap_of(device, model::silicon_of(device)))),
        draws_(std::move(draws)) {}

  [[nodiscard]] std::optional<model::KernelTime> time(
      const graph::Kernel& kernel, const model::Silicon& silicon) const override {
    const auto taken = model::choose_time(models_, kernel, silicon);
    if (!taken) return std::nullopt;
    model::KernelTime time = taken->time;
    time.extrapolated = false;
    // The error band applies to kernel and launch gap. The step adds the gap, so subtract it here.
    const double gap = time.source == TimeSource::roofline ? 0 : gap_ * kernel.launches;
    const double wrong =
        draws_->factor(sim::class_name(time.source, kernel), time.band) * (time.seconds + gap) -
        gap;
    time.seconds = std::max(wrong, time.seconds * 1e-3);
    return time;
  }

 private:
  static std::vector<model::NamedKernelModel> models_of(const platform::Device& device) {
    model::KernelModelInputs sources;
    if (device.rated.count() > 0 && device.peak.count() > 0)
      sources.scale = device.peak.count() / device.rated.count();
    sources.own_peak = device.has_custom_peak();
    return model::kernel_models(sources);
  }

  std::vector<model::NamedKernelModel> models_;
  double gap_;
  std::shared_ptr<ErrorSamples> draws_;
};

/// The step time with model errors sampled with `seed`.
inline Time sampled_step(const Outcome& predicted, std::uint64_t seed) {
  const auto draws = std::make_shared<ErrorSamples>(seed);
  sim::Options options;
  options.fold = true;
  options.kernel_models[TimeSource::table] =
      std::make_shared<PerturbedKernels>(predicted.platform().device, draws);
  if (const auto& library = predicted.inputs.cluster->library)
    options.library = std::make_shared<model::LibraryTimes>(
        library->with_error([draws](graph::CollectiveType type, const model::nccl::Shape& shape,
                                    const model::LibraryEstimate& answer) {
          if (!answer.band) return 1.0;
          sim::PredictedCollective what;
          what.type = graph::name(type);
          what.ranks = static_cast<std::uint32_t>(shape.ranks);
          what.nodes = static_cast<std::uint32_t>(shape.nodes);
          what.source = name(answer.source);
          return draws->factor(sim::class_name(what), *answer.band);
        }));
  const auto result = sim::simulate(predicted.workload(), predicted.platform(), options);
  return result ? result->end : Time{};
}

}  // namespace orrery::study::sampled_errors
