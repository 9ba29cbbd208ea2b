// SPDX-License-Identifier: Apache-2.0
//
// What is left over: how much longer kernels take in steps than alone, fitted to measured steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/validate/point_prediction.h"

namespace orrery::validate {

/// One factor for a device and a class of precision; never for a model, a plan or a source.
struct FittedFactor {
  std::string device;  ///< of the catalogue; empty: every device that has no factor of its own
  std::int64_t bits = 16;
  double factor = 1;
  double lower = 0, upper = 0;  ///< 80 % of steps say a factor within, as shares of it
  std::size_t points = 0, sources = 0;
};

struct FactorFit {
  std::vector<FittedFactor> factors;  ///< to all points
  /// Every point with factors that were fitted to points of other sources only; as
  /// `predict_points`.
  std::vector<PointPrediction> left_out;
};

/// Fits them. Every step says one factor: that with which it would be told right, a step being
/// taken as linear in it. A device's factor is the median of these, a step weighing as the share of
/// it that such kernels are (so that relative errors of steps add up to the least) and every source
/// the same; 16 bits first, by steps whose products have 16, then narrower ones with that. A device
/// without steps takes the median over all steps of that class. Where sources left out leave no
/// step of a class at all the factor is 1. Costs four predictions of every point. Errc: usage.
[[nodiscard]] Result<FactorFit> fit_factors(std::span<const MeasuredPoint> points,
                                            const PointPredictionOptions& options);

/// So often is every point predicted.
inline constexpr std::size_t kFitRounds = 4;
/// From so many steps on a factor is a device's own.
inline constexpr std::size_t kMinDeviceSteps = 3;

}  // namespace orrery::validate
