// SPDX-License-Identifier: Apache-2.0
//
// The utilization of published training steps (data/measured/core), counted as for predictions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"
#include "orrery/validate/measured_points.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::validate {

/// All measured steps that the program contains, in the order of its files. Points that cannot be
/// predicted have a `skip_reason`. Errc: as parse_points; only if the files are wrong.
[[nodiscard]] Result<std::vector<MeasuredPoint>> published_points();

/// A published step.
struct PublishedStep {
  std::string id, source, model;
  double seconds = 0;
  std::int64_t devices = 0;
  double mfu = 0;  ///< model FLOPs / (step × devices × peak of `device`)
};

/// Published steps that are comparable with a job: the same GPU, and products of the same width.
struct PublishedGroup {
  std::string what;                  ///< "llama-3.1-70b", "models with RMS norm and gated MLP"
  std::vector<std::string> models;   ///< names in the publications, sorted, each once
  std::vector<std::string> sources;  ///< sorted, each once
  std::vector<PublishedStep> steps;  ///< by MFU, ascending

  /// Linear between the nearest steps; not of an empty group.
  [[nodiscard]] double quantile(double share) const;
  /// Share of the steps with less MFU, and half of those with the same.
  [[nodiscard]] double share_below(double mfu) const;
};

/// The fewest steps of which percentiles are stated.
inline constexpr std::size_t kMinPercentileSteps = 5;

struct PublishedSteps {
  std::string device;         ///< "h100"
  std::string products;       ///< "16 bits", "fp8"
  PublishedGroup same_model;  ///< the same layers and widths
  PublishedGroup family;      ///< the same kind of layers; includes `same_model`
};

/// The steps of `points` on GPUs like `device` that are comparable with `spec`. A GPU is alike if
/// it has the same name up to its variant and the same peak: a100-40gb and a100-80gb. The family of
/// a model: its kind, experts or dense, the kind of norm, gated or plain MLP. Jobs that train
/// adapters are only comparable with such. Points whose job is no legal plan are left out.
/// O(points).
[[nodiscard]] PublishedSteps published_steps(std::span<const MeasuredPoint> points,
                                             const workload::Spec& spec,
                                             const platform::Device& device);

}  // namespace orrery::validate
