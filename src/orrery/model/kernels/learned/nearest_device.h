// SPDX-License-Identifier: Apache-2.0
//
// The nearest measured device of the same architecture, for devices without measurements.
#pragma once

#include <span>

#include "orrery/model/kernels/learned/learned_model.h"

namespace orrery::model {

/// Maximum distance at which the nearest device improves predictions. Examples: P4 to P100 3.0 (if
/// held out, the error of softmax is 24 % from the P100 and 9 % with general trees), H20 to
/// H100 6.5, B200 to B300 0.1.
inline constexpr double kMaxDeviceDistance = 2;

/// The nearest device in `among` of the same architecture (a refresh counts as the same). The
/// distance is the sum of absolute binary logarithms of four ratios: peak in the format of the
/// class per processor and clock, memory bandwidth per peak, number of processors, and clock. Null:
/// no distance is at most kMaxDeviceDistance, or the architecture is not named.
[[nodiscard]] const Silicon* nearest_measured_device(KernelClass kernels,
                                                     std::span<const Silicon> among,
                                                     const Silicon& silicon);

/// The data sheets of the devices that the catalog contains; other devices are omitted.
[[nodiscard]] std::vector<Silicon> cataloged_devices(std::span<const DeviceSignature> devices);

/// Features of a kernel on `relative`, with the heuristic's time on the device itself. So trees
/// that were trained on the relative correct the latter, and the ratio of the times on both devices
/// is that of the heuristic.
[[nodiscard]] Features features_relative_to(KernelClass kernels, const graph::Kernel& kernel,
                                            const Silicon& silicon, const Silicon& relative);

}  // namespace orrery::model
