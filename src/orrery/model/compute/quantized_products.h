// SPDX-License-Identifier: Apache-2.0
//
// Narrow products with and without the quantising of their first input.
#pragma once

#include <memory>

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// `model`, whose narrow products have the quantising of their first input in them, and what it
/// then says of those without (graph::kQuantized): what it says of the whole less what it says of a
/// cast of so many numbers from 16 bits to fp8, not below what the device's peak allows. Its band
/// is as wide in seconds.
///
/// Public tables measure fp8 and fp4 products with their libraries' linear layers, which take 16
/// bits. Source: AIConfigurator's tables beside PipeWeave's of products alone, H800 (an H100 by its
/// data sheet): for 2,048 rows and more the former are longer by 0.79 for up to 1,024 columns, 0.29
/// for up to 4,096 and 0.05 beyond, which is 1.15, 1.12 and 0.4 of such a cast.
[[nodiscard]] std::shared_ptr<const KernelModel> with_quantizing(
    std::shared_ptr<const KernelModel> model);

/// `model`, asked again as if they had it where it says nothing of products without quantising.
[[nodiscard]] std::shared_ptr<const KernelModel> with_unquantized_fallback(
    std::shared_ptr<const KernelModel> model);

}  // namespace orrery::model
