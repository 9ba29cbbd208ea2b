// SPDX-License-Identifier: Apache-2.0
//
// Matrix products and convolutions: their FLOPs, and the sizes of their kernels.
#pragma once

#include <vector>

#include "orrery/hlo/lower/costs.h"

namespace orrery::hlo {

/// Adds the FLOPs and the kernel of a product or convolution. An operation without dimension
/// numbers, or with those that its shapes do not have, becomes unknown.
void take_product(const Instruction& operation, const std::vector<const Shape*>& operands,
                  OperationCost& cost);

/// The same for calls of cuBLAS and cuDNN by name ("__cublas$gemm", "__cudnn$convForward"). False:
/// another call. Source of names: xla/service/gpu/cublas_cudnn.h.
[[nodiscard]] bool take_library_product(const Instruction& operation,
                                        const std::vector<const Shape*>& operands,
                                        OperationCost& cost);

}  // namespace orrery::hlo
