// SPDX-License-Identifier: Apache-2.0
//
// Portable kernels, built for older devices, that do not use all features of their device.
#pragma once

#include <memory>

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// Duration of a portable kernel relative to a kernel that is built for the device. 1: the kernel
/// is not portable, or the ratio is unknown.
///
/// Attention on Hopper: FlashAttention-2, which multiplies with Ampere's instructions, compared
/// with cuDNN, which the tables measure. Source: Shah et al., FlashAttention-3 (arXiv 2407.08608),
/// figures 5 and 6, TFLOP/s on an H100 SXM5 at sequences of 512 to 16,384. Its share of cuDNN's
/// rate is, forward, 0.59 to 0.62 with heads of 128 or 256 and 0.77 to 0.84 with heads of 64;
/// backward, 0.61 to 0.70 with heads of 128 and 0.67 to 0.74 with heads of 64.
///
/// FlashAttention in Triton: the second version is 1.3 to 2.5 times as fast as the first (Dao,
/// FlashAttention-2, arXiv 2307.08691, section 4.1, on an A100). The function uses the geometric
/// mean, on every device.
[[nodiscard]] double portable_kernel_slowdown(const graph::Kernel& kernel, const Silicon& silicon);

/// Returns `model` with times of portable kernels multiplied by portable_kernel_slowdown().
[[nodiscard]] std::shared_ptr<const KernelModel> with_portable(
    std::shared_ptr<const KernelModel> model);

}  // namespace orrery::model
