// SPDX-License-Identifier: Apache-2.0
//
// Number formats of a job: for storage, communication and products.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include "orrery/config/field.h"

namespace orrery::workload {

enum class Dtype : std::uint8_t { fp32, tf32, bf16, fp16, fp8, fp4 };
/// Bytes of one element; 0.5 for fp4.
[[nodiscard]] constexpr double bytes_of(Dtype type) {
  switch (type) {
    case Dtype::fp32:
    case Dtype::tf32:
      return 4;
    case Dtype::bf16:
    case Dtype::fp16:
      return 2;
    case Dtype::fp8:
      return 1;
    case Dtype::fp4:
      break;
  }
  return 0.5;
}

[[nodiscard]] constexpr bool is_32_bit(Dtype type) {
  return type == Dtype::fp32 || type == Dtype::tf32;
}

/// How casts to fp8 and fp4 compute their scales.
enum class Scaling : std::uint8_t {
  delayed,    ///< from earlier steps: one pass over the tensor
  tensor,     ///< from the maximum of the tensor: two passes over it
  blockwise,  ///< one scale per tile of 128 × 128 or 1 × 128 (DeepSeek-V3, section 3.3.2)
  mx,         ///< a power of two per block of 32 elements (OCP Microscaling, v1.0)
  rowwise,    ///< one scale per row of each product's inputs (torchao, recipe `rowwise`)
  rowwise_with_gw_hp,  ///< as `rowwise`, but weight gradients are products of `activations`
};

/// Whether products have one scale per row.
[[nodiscard]] constexpr bool scales_rows(Scaling scaling) {
  return scaling == Scaling::rowwise || scaling == Scaling::rowwise_with_gw_hp;
}

/// Number formats for storage, messages and matrix products.
struct Precision {
  Dtype weights = Dtype::bf16;
  Dtype activations = Dtype::bf16;
  Dtype gradients = Dtype::fp32;  ///< type in which microbatches accumulate
  Dtype reduce = Dtype::fp32;     ///< type of gradients in data-parallel messages
  Dtype optimizer = Dtype::fp32;  ///< the optimizer's moments
  bool master_weights = true;     ///< an fp32 copy of weights that are not fp32
  Dtype dispatch = Dtype::bf16;   ///< tokens sent to experts
  Dtype combine = Dtype::bf16;    ///< tokens sent back from experts
  std::optional<Dtype> products;  ///< input type of matrix products with weights; all other
                                  ///< operators use `activations`
  Scaling scaling = Scaling::tensor;
  std::optional<Dtype> attention;  ///< input type of attention's products (attends_in_8_bits)

  /// `products`; if that is empty, the narrower of weights and activations.
  [[nodiscard]] Dtype product_type() const {
    if (products) return *products;
    return bytes_of(activations) < bytes_of(weights) ? activations : weights;
  }

  static constexpr auto fields = std::tuple{
      config::field("weights", &Precision::weights, "weights in matrix products"),
      config::field("activations", &Precision::activations, "activations, also in messages"),
      config::field("gradients", &Precision::gradients, "accumulated gradients"),
      config::field("reduce", &Precision::reduce, "gradients in messages"),
      config::field("optimizer", &Precision::optimizer, "the optimizer's moments"),
      config::field("master_weights", &Precision::master_weights,
                    "an fp32 copy of weights in other formats"),
      config::field("dispatch", &Precision::dispatch, "tokens sent to experts"),
      config::field("combine", &Precision::combine, "tokens sent back from experts"),
      config::field("products", &Precision::products,
                    "input format of matrix products with weights")
          .by_default("the narrower of `weights` and `activations`"),
      config::field("scaling", &Precision::scaling,
                    "how casts to fp8 and fp4 compute their scales"),
      config::field("attention", &Precision::attention,
                    "input format of attention's products: `fp8`, or that of `activations`")
          .by_default("by `framework` and `release`: megatron since 26.06 with MXFP8 and experts, "
                      "without latent attention `fp8`, else that of `activations`")};
};

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::Dtype> {
  static constexpr auto names =
      names_in_order<workload::Dtype::fp4>("fp32", "tf32", "bf16", "fp16", "fp8", "fp4");
};
template <>
struct EnumNames<workload::Scaling> {
  static constexpr auto names = names_in_order<workload::Scaling::rowwise_with_gw_hp>(
      "delayed", "tensor", "blockwise", "mx", "rowwise", "rowwise_with_gw_hp");
};
}  // namespace orrery::config
