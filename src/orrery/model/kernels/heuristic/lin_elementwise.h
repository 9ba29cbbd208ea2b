// SPDX-License-Identifier: Apache-2.0
//
// Lin et al.'s rooflines of kernels that work on each number for itself.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "orrery/model/embedding/lin_devices.h"

namespace orrery::model {

/// What a kernel does for each number, fp32; bytes of 0: no such pass.
struct LinElementwise {
  std::string_view name;
  double flops = 0, bytes = 0;                    ///< forward
  double backward_flops = 0, backward_bytes = 0;  ///< backward, where they say it
};
/// Source: Lin et al. (TPDS 2024) section 4.2 and owensgroup/ml_perf_model; operations of functions
/// such as exp are counted as instructions.
[[nodiscard]] std::span<const LinElementwise> lin_elementwise_kernels();

/// Microseconds: max(flops / peak, bytes / memory rate), without a launch. Nothing for a kernel or
/// a pass that they do not say.
[[nodiscard]] std::optional<double> lin_elementwise_us(std::string_view name, bool backward,
                                                       double elements, const LinDevice& device);

/// Concatenating tensors of so many numbers altogether: read and written at 0.79 of memory's rate.
[[nodiscard]] double lin_concat_us(double elements, const LinDevice& device);
/// A copy to the device.
[[nodiscard]] double lin_copy_to_device_us(double elements, const LinDevice& device);
/// Adding to a gradient that is there; nothing beyond 5e6 numbers, which another kernel does.
[[nodiscard]] double lin_accumulate_us(double elements, const LinDevice& device);

}  // namespace orrery::model
