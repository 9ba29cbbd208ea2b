// SPDX-License-Identifier: Apache-2.0
//
// Which kernels are learned together.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/graph/kernel.h"

namespace orrery::model {

/// Kernels of one class share trees. `none`: not learned.
enum class KernelClass : std::uint8_t {
  none,
  gemm_bf16,  ///< and fp16; all passes, which are products alike
  gemm_fp8,
  gemm_fp8_block,
  gemm_fp4_block,
  gemm_fp32,
  batched_gemm_fp32,
  grouped_gemm_bf16,
  grouped_gemm_fp8,
  grouped_gemm_fp8_block,
  grouped_gemm_fp4_block,
  attention_prefill,  ///< forward, bf16
  attention_decode,   ///< one query
  layer_norm,
  softmax,
  rms_norm,
  moving,  ///< rotary, activation, element-wise
  cast,
  batched_gemm_bf16,        ///< and fp16
  attention_latent,         ///< keys and values of unequal length, forward, bf16
  attention_latent_decode,  ///< … one query
};
inline constexpr std::size_t kKernelClasses = 21;

[[nodiscard]] KernelClass class_of(const graph::Kernel& kernel);
/// "gemm_bf16" …; "none".
[[nodiscard]] std::string_view name(KernelClass kernels);
[[nodiscard]] inline std::string_view class_name(const graph::Kernel& kernel) {
  return name(class_of(kernel));
}

}  // namespace orrery::model
