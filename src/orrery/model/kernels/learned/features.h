// SPDX-License-Identifier: Apache-2.0
//
// What trees see of a kernel on a device: sizes and ratios without units, so that a device that was
// never measured looks like those that were.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "orrery/graph/kernel.h"
#include "orrery/model/kernels/learned/kernel_class.h"
#include "orrery/model/kernels/silicon.h"

namespace orrery::model {

inline constexpr std::size_t kFeatures = 32;

/// Features of one kernel, rounded to floats; places that a class does not use hold 0.
struct Features {
  std::array<float, kFeatures> values{};
  double log2_base = 0;  ///< of the heuristic's seconds, which the trees correct
  bool said = false;     ///< false: the heuristic says nothing
};

/// How a device is looked at: as one of those that were measured, by the figures of its
/// architecture and all that its data sheet says; or as any device, by round figures and ratios of
/// its own, so that no tree can tell which it is.
enum class FeatureView : std::uint8_t { measured, general };

/// Uses sums, products and exact_log2 alone: the same floats on every machine.
[[nodiscard]] Features features_of(KernelClass kernels, const graph::Kernel& kernel,
                                   const Silicon& silicon, FeatureView view);

/// Names of the features of a class, in order; files name them so that trees are never walked with
/// others than they were grown on.
[[nodiscard]] std::span<const std::string_view> feature_names(KernelClass kernels);

}  // namespace orrery::model
