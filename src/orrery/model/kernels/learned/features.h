// SPDX-License-Identifier: Apache-2.0
//
// The features of a kernel on a device: sizes and dimensionless ratios, which also apply to devices
// without measurements.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "orrery/graph/kernel.h"
#include "orrery/model/kernels/learned/kernel_class.h"
#include "orrery/model/kernels/silicon.h"

namespace orrery::model {

inline constexpr std::size_t kFeatures = 32;

/// Features of one kernel, rounded to floats; unused features of a class are 0.
struct Features {
  std::array<float, kFeatures> values{};
  double log2_base = 0;  ///< log2 of the heuristic's seconds, which the trees correct
  bool said = false;     ///< false: the heuristic has no prediction
};

/// The description of a device. `measured`: the figures of its architecture and its complete data
/// sheet. `general`: rounded figures and ratios, from which trees cannot identify the device.
enum class FeatureView : std::uint8_t { measured, general };

/// Computes features with only sums, products and exact_log2, so that they are equal on every
/// machine.
[[nodiscard]] Features features_of(KernelClass kernels, const graph::Kernel& kernel,
                                   const Silicon& silicon, FeatureView view);

/// Names of the features of a class, in order. Files contain them, so that trees are never used
/// with other features than those of their training.
[[nodiscard]] std::span<const std::string_view> feature_names(KernelClass kernels);

}  // namespace orrery::model
