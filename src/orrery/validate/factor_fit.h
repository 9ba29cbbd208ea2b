// SPDX-License-Identifier: Apache-2.0
//
// Fits the slowdown of kernels in a step, relative to isolated kernels, to measured steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/validate/point_prediction.h"

namespace orrery::validate {

/// A factor for one device and one class of precision. No factor depends on a model, a plan or a
/// source.
struct FittedFactor {
  std::string device;  ///< name in the catalog; empty: all devices without a separate factor
  std::int64_t bits = 16;
  double factor = 1;
  double lower = 0, upper = 0;  ///< 80 % interval of the factors of steps, relative to `factor`
  std::size_t points = 0, sources = 0;
};

/// Traits whose values are left out of the fit, one at a time.
inline constexpr std::array<std::string_view, 4> kLeftOutTraits = {"source", "family", "release",
                                                                   "device"};

/// Step times in seconds by kLeftOutTraits: predicted with factors fitted without all points that
/// share the trait. A point that states no release has the time with all factors there.
using LeftOutSeconds = std::array<double, kLeftOutTraits.size()>;

struct FactorFit {
  std::vector<FittedFactor> factors;  ///< fitted to all points with MeasuredPoint::fitted
  /// Predictions of every point with factors fitted to the other sources only; as predict_points().
  std::vector<PointPrediction> cross_validated;
  /// One per point; 0 without a prediction. Without its source, it is that of `cross_validated`.
  /// The others are scaled from it, assuming that the step time is linear in the factors.
  std::vector<LeftOutSeconds> left_out;
};

/// Fits the factors. Each step gives the factor with which its prediction would be exact, assuming
/// that the step time is linear in the factor. The factor of a device is the weighted median over
/// its steps, which minimizes the sum of relative errors. The weight of a step is the share of its
/// time in kernels of the class; all sources have equal total weight. The 16-bit factor is fitted
/// first, to steps with 16-bit products; factors of narrower formats use it. Devices with fewer
/// than kMinDeviceSteps steps use the median over all devices. If no step of a class remains
/// without a source, its factor is 1. It predicts every point kFitRounds times. Errc: usage.
[[nodiscard]] Result<FactorFit> fit_factors(std::span<const MeasuredPoint> points,
                                            const PointPredictionOptions& options);

/// Number of predictions of every point.
inline constexpr std::size_t kFitRounds = 4;
/// Minimum number of steps for a separate factor of a device.
inline constexpr std::size_t kMinDeviceSteps = 3;

}  // namespace orrery::validate
