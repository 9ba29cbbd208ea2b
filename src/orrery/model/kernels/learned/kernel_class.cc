// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/kernel_class.h"

#include <array>

namespace orrery::model {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;

constexpr std::array<KernelClassTraits, kKernelClasses> kTraitsByClass = {{
    {"none", Format::fp32, FeatureSet::none},
    {"gemm_bf16", Format::bf16, FeatureSet::product},
    {"gemm_fp8", Format::fp8, FeatureSet::product},
    {"gemm_fp8_block", Format::fp8, FeatureSet::product},
    {"gemm_fp4_block", Format::fp4_block, FeatureSet::product},
    {"gemm_fp32", Format::fp32, FeatureSet::product},
    {"batched_gemm_fp32", Format::fp32, FeatureSet::product},
    {"grouped_gemm_bf16", Format::bf16, FeatureSet::grouped_product},
    {"grouped_gemm_fp8", Format::fp8, FeatureSet::grouped_product},
    {"grouped_gemm_fp8_block", Format::fp8, FeatureSet::grouped_product},
    {"grouped_gemm_fp4_block", Format::fp4_block, FeatureSet::grouped_product},
    {"attention_prefill", Format::bf16, FeatureSet::attention},
    {"attention_decode", Format::bf16, FeatureSet::attention},
    {"layer_norm", Format::fp32, FeatureSet::moving},
    {"softmax", Format::fp32, FeatureSet::moving},
    {"rms_norm", Format::fp32, FeatureSet::moving},
    {"moving", Format::fp32, FeatureSet::moving},
    {"cast", Format::fp32, FeatureSet::moving},
    {"batched_gemm_bf16", Format::bf16, FeatureSet::product},
    {"attention_latent", Format::bf16, FeatureSet::attention},
    {"attention_latent_decode", Format::bf16, FeatureSet::attention},
}};

KernelClass product_class(const Kernel& kernel, bool grouped) {
  if (kernel.a != kernel.b && kernel.b != Format::unsaid) return KernelClass::none;
  switch (kernel.a) {
    case Format::bf16:
    case Format::fp16:
      return grouped ? KernelClass::grouped_gemm_bf16 : KernelClass::gemm_bf16;
    case Format::fp8:
    // Blackwell's matrix units multiply in this format at the rate of fp8, and no public table has
    // it. Source: PTX ISA 8.7, tcgen05.mma (kinds f8f6f4 and mxf8f6f4); NVIDIA's data sheets (one
    // rate).
    case Format::fp8_mx:
      return grouped ? KernelClass::grouped_gemm_fp8 : KernelClass::gemm_fp8;
    case Format::fp8_block:
      return grouped ? KernelClass::grouped_gemm_fp8_block : KernelClass::gemm_fp8_block;
    case Format::fp4_block:
      return grouped ? KernelClass::grouped_gemm_fp4_block : KernelClass::gemm_fp4_block;
    case Format::fp32:
      return grouped ? KernelClass::none : KernelClass::gemm_fp32;
    default:
      return KernelClass::none;
  }
}

bool is_16_bit(Format format) { return format == Format::bf16 || format == Format::fp16; }

KernelClass attention_class(const Kernel& kernel) {
  const bool decodes = kernel.sizes[3] == 1 && kernel.sizes[4] > 1;
  const bool latent = kernel.sizes[6] > 0 && kernel.sizes[5] != kernel.sizes[6];
  if (latent) return decodes ? KernelClass::attention_latent_decode : KernelClass::attention_latent;
  return decodes ? KernelClass::attention_decode : KernelClass::attention_prefill;
}

KernelClass batched_class(Format format) {
  if (is_16_bit(format)) return KernelClass::batched_gemm_bf16;
  return format == Format::fp32 ? KernelClass::batched_gemm_fp32 : KernelClass::none;
}

}  // namespace

KernelClass class_of(const Kernel& kernel) {
  if (kernel.operation == Operation::gemm && kernel.pass != graph::Pass::backward)
    return product_class(kernel, false);
  if (kernel.operation == Operation::grouped_gemm && kernel.pass != graph::Pass::backward)
    return product_class(kernel, true);
  const bool equivalent = kernel.b == Format::unsaid || kernel.b == kernel.a;
  if (kernel.operation == Operation::batched_gemm && kernel.pass != graph::Pass::backward)
    return equivalent ? batched_class(kernel.a) : KernelClass::none;
  if (kernel.pass != graph::Pass::forward) return KernelClass::none;
  switch (kernel.operation) {
    case Operation::attention:
      if (!is_16_bit(kernel.a) || !equivalent) return KernelClass::none;
      return attention_class(kernel);
    case Operation::layer_norm:
      return kernel.a == Format::fp32 ? KernelClass::layer_norm : KernelClass::none;
    case Operation::softmax:
      return kernel.a == Format::fp32 ? KernelClass::softmax : KernelClass::none;
    case Operation::rms_norm:
      return is_16_bit(kernel.a) ? KernelClass::rms_norm : KernelClass::none;
    case Operation::rotary:
    case Operation::activation:
    case Operation::elementwise:
      return is_16_bit(kernel.a) ? KernelClass::moving : KernelClass::none;
    case Operation::cast:
      return is_16_bit(kernel.a) && kernel.out == Format::fp8 ? KernelClass::cast
                                                              : KernelClass::none;
    default:
      return KernelClass::none;
  }
}

const KernelClassTraits& traits_of(KernelClass kernels) {
  return kTraitsByClass[static_cast<std::size_t>(kernels)];
}

}  // namespace orrery::model
