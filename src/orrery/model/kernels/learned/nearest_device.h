// SPDX-License-Identifier: Apache-2.0
//
// Devices that were never measured, beside those of their architecture that were.
#pragma once

#include <span>

#include "orrery/model/kernels/learned/learned_model.h"

namespace orrery::model {

/// Beyond it names say little: a P4 is 3.0 from a P100 (left out, softmax is told 24 % off from it
/// and 9 % as any device), an H20 6.5 from an H100, a B200 0.1 from a B300.
inline constexpr double kMaxDeviceDistance = 2;

/// Of `among`, the device of the same architecture (a refresh of it counts as the same) whose peak
/// in the class's format for each processor and clock, bandwidth for that peak, processors and
/// clock are nearest: the least sum of absolute binary logarithms of ratios, which is
/// kMaxDeviceDistance at most. Null: none is so near, or the architecture is not named.
[[nodiscard]] const Silicon* nearest_measured_device(KernelClass kernels,
                                                     std::span<const Silicon> among,
                                                     const Silicon& silicon);

/// What the catalogue says of the devices a class was grown on; those it does not know are left
/// out.
[[nodiscard]] std::vector<Silicon> catalogued_devices(std::span<const DeviceSignature> devices);

/// A kernel on a device as its relative sees it: what trees that know the relative have to correct
/// is the heuristic's time on the device itself. So a kernel takes as much longer or shorter than
/// on the relative as the heuristic says of the two.
[[nodiscard]] Features features_relative_to(KernelClass kernels, const graph::Kernel& kernel,
                                            const Silicon& silicon, const Silicon& relative);

}  // namespace orrery::model
