// SPDX-License-Identifier: Apache-2.0
//
// Classes of kernels that share a trained model.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/graph/kernel.h"

namespace orrery::model {

/// Kernels of one class share trees. `none`: not learned.
enum class KernelClass : std::uint8_t {
  none,
  gemm_bf16,  ///< and fp16; all passes, because all are products
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
  attention_latent,         ///< keys and values of different lengths, forward, bf16
  attention_latent_decode,  ///< … one query
};
inline constexpr std::size_t kKernelClasses =
    static_cast<std::size_t>(KernelClass::attention_latent_decode) + 1;

/// Classes of one set have the same features (features.h).
enum class FeatureSet : std::uint8_t { none, product, grouped_product, attention, moving };

struct KernelClassTraits {
  std::string_view name;  ///< "gemm_bf16" …; "none"
  graph::Format format;   ///< whose peak is a part of a device's signature
  FeatureSet features;
};

[[nodiscard]] KernelClass class_of(const graph::Kernel& kernel);
[[nodiscard]] const KernelClassTraits& traits_of(KernelClass kernels);
[[nodiscard]] inline std::string_view name(KernelClass kernels) { return traits_of(kernels).name; }
[[nodiscard]] inline std::string_view class_name(const graph::Kernel& kernel) {
  return name(class_of(kernel));
}

}  // namespace orrery::model
