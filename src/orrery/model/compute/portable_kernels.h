// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are made for devices of before, and do not know what their device can do.
#pragma once

#include <memory>

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// How many times as long a kernel takes as one that is made for its device: 1 of such a one, and
/// where nothing is known of a portable one.
///
/// Attention on Hopper: FlashAttention-2, which multiplies with Ampere's instructions, beside
/// cuDNN, which is what the tables have. Source: Shah et al., FlashAttention-3 (arXiv 2407.08608),
/// figures 5 and 6, TFLOP/s on an H100 SXM5 at sequences of 512 to 16,384: of cuDNN's rate it
/// reaches forward 0.59 to 0.62 with heads of 128 or 256 and 0.77 to 0.84 of 64, backward 0.61 to
/// 0.70 of 128 and 0.67 to 0.74 of 64.
///
/// Of FlashAttention in Triton the second version is 1.3 to 2.5 times as quick: Dao,
/// FlashAttention-2 (arXiv 2307.08691), section 4.1, on an A100; here the geometric mean, on
/// whatever device.
[[nodiscard]] double portable_kernel_slowdown(const graph::Kernel& kernel, const Silicon& silicon);

/// `model`, and what it says of portable kernels.
[[nodiscard]] std::shared_ptr<const KernelModel> with_portable(
    std::shared_ptr<const KernelModel> model);

}  // namespace orrery::model
