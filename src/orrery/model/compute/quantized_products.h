// SPDX-License-Identifier: Apache-2.0
//
// Products in fp8 and fp4, with and without quantization of their first input.
#pragma once

#include <memory>

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// Returns `model`, whose times of narrow products include the quantization of their first input,
/// with times of products without it (graph::kQuantized). Their time is that of the product with
/// quantization minus that of a cast of as many numbers from 16 bits to fp8. It is at least the
/// time at the device's peak and a quarter of the time with quantization. The band keeps its width
/// in seconds.
///
/// Public tables measure fp8 and fp4 products with the linear layers of libraries, whose input has
/// 16 bits. Source: AIConfigurator's tables compared with PipeWeave's tables of products only, on
/// H800 (an H100 by its data sheet). For 2,048 rows and more, the former are longer by 0.79 for up
/// to 1,024 columns, 0.29 for up to 4,096 and 0.05 beyond; that is 1.15, 1.12 and 0.4 of such a
/// cast.
[[nodiscard]] std::shared_ptr<const KernelModel> with_quantizing(
    std::shared_ptr<const KernelModel> model);

/// Returns `model`, except that a product without quantization for which `model` has no answer gets
/// the answer for the product with quantization.
[[nodiscard]] std::shared_ptr<const KernelModel> with_unquantized_fallback(
    std::shared_ptr<const KernelModel> model);

}  // namespace orrery::model
