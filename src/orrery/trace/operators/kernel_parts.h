// SPDX-License-Identifier: Apache-2.0
//
// Selects the device kernel that does the main computation of an operator. Its other kernels change
// layouts, reduce partial results or compute offsets. Source: the kernel names that libraries use.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/graph/kernel.h"

namespace orrery::trace::operators {

/// For each name in `launched`, which are the device kernels of one operator in the order of their
/// launches: the part of `whole` that the kernel computes. Nothing for helpers, and for kernels
/// that share a part with others. The only kernel of an operator computes all of it, except for a
/// convolution with two gradients: then the kernel's name must show which one. fp32 products on
/// matrix units are tf32.
[[nodiscard]] std::vector<std::optional<graph::Kernel>> kernel_parts(
    const graph::Kernel& whole, std::span<const std::string_view> launched);

/// The operation of a device kernel by its name alone; `unsaid` if the name does not show it. Most
/// matrix products are `gemm`: names seldom show a batch.
[[nodiscard]] graph::Operation operation_of_device_kernel(std::string_view name);

/// The operation of a copy engine: `transfer` between host and device, `copy` on one device,
/// `unsaid` between devices.
[[nodiscard]] graph::Operation copy_operation(std::string_view name);

}  // namespace orrery::trace::operators
