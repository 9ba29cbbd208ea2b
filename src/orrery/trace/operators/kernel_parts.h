// SPDX-License-Identifier: Apache-2.0
//
// Which of the device kernels of an operator does its work: others change layouts, sum up parts,
// work out offsets. Told by what libraries call their kernels.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/graph/kernel.h"

namespace orrery::trace::operators {

/// For each of `launched`, the names of the device kernels of one operator in the order of their
/// launches: the part of `whole` that it does, nothing for helpers and for what shares a part with
/// others. The only kernel of an operator does all of it, except where a convolution has two
/// gradients: then its name has to tell which. fp32 products on matrix units are tf32.
[[nodiscard]] std::vector<std::optional<graph::Kernel>> kernel_parts(
    const graph::Kernel& whole, std::span<const std::string_view> launched);

/// What a copy by the device's engines is: `transfer` between host and device, `copy` on one
/// device, unsaid between devices.
[[nodiscard]] graph::Operation copy_operation(std::string_view name);

}  // namespace orrery::trace::operators
