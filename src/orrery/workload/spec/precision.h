// SPDX-License-Identifier: Apache-2.0
//
// In which formats a job's numbers are kept, sent and multiplied.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include "orrery/config/field.h"

namespace orrery::workload {

enum class Dtype : std::uint8_t { fp32, tf32, bf16, fp16, fp8, fp4 };
/// Bytes of one element; fp4 is counted in halves.
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

/// How casts to fp8 and fp4 find the scales they need.
enum class Scaling : std::uint8_t {
  delayed,    ///< from steps before: one pass
  tensor,     ///< the largest of the whole tensor first: two passes
  blockwise,  ///< tiles of 128 × 128 and 1 × 128 (DeepSeek-V3, section 3.3.2)
  mx,         ///< blocks of 32 with a power of two each (OCP Microscaling, v1.0)
};

/// What is kept, sent and multiplied in which type.
struct Precision {
  Dtype weights = Dtype::bf16;
  Dtype activations = Dtype::bf16;
  Dtype gradients = Dtype::fp32;  ///< as accumulated over microbatches
  Dtype reduce = Dtype::fp32;     ///< as sent between data-parallel ranks
  Dtype optimizer = Dtype::fp32;  ///< moments
  bool master_weights = true;     ///< an fp32 copy of weights that are not fp32
  Dtype dispatch = Dtype::bf16;   ///< tokens on their way to experts
  Dtype combine = Dtype::bf16;    ///< … and back
  std::optional<Dtype> products;  ///< what products with weights are computed in; attention, norms
                                  ///< and all else stay with the activations
  Scaling scaling = Scaling::tensor;

  /// Without `products`: the narrower of weights and activations.
  [[nodiscard]] Dtype product_type() const {
    if (products) return *products;
    return bytes_of(activations) < bytes_of(weights) ? activations : weights;
  }

  static constexpr auto fields = std::tuple{
      config::field("weights", &Precision::weights, "weights in matrix products"),
      config::field("activations", &Precision::activations, "activations, also as sent"),
      config::field("gradients", &Precision::gradients, "gradients as accumulated"),
      config::field("reduce", &Precision::reduce, "gradients as sent"),
      config::field("optimizer", &Precision::optimizer, "the optimizer's moments"),
      config::field("master_weights", &Precision::master_weights,
                    "an fp32 copy of weights that are not fp32"),
      config::field("dispatch", &Precision::dispatch, "tokens on their way to experts"),
      config::field("combine", &Precision::combine, "tokens on their way back"),
      config::field("products", &Precision::products, "what products with weights are computed in")
          .by_default("the narrower of weights and activations"),
      config::field("scaling", &Precision::scaling, "how casts to fp8 and fp4 find their scales")};
};

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::Dtype> {
  static constexpr std::array names = {EnumName<workload::Dtype>{"fp32", workload::Dtype::fp32},
                                       EnumName<workload::Dtype>{"tf32", workload::Dtype::tf32},
                                       EnumName<workload::Dtype>{"bf16", workload::Dtype::bf16},
                                       EnumName<workload::Dtype>{"fp16", workload::Dtype::fp16},
                                       EnumName<workload::Dtype>{"fp8", workload::Dtype::fp8},
                                       EnumName<workload::Dtype>{"fp4", workload::Dtype::fp4}};
};
template <>
struct EnumNames<workload::Scaling> {
  static constexpr std::array names = {
      EnumName<workload::Scaling>{"delayed", workload::Scaling::delayed},
      EnumName<workload::Scaling>{"tensor", workload::Scaling::tensor},
      EnumName<workload::Scaling>{"blockwise", workload::Scaling::blockwise},
      EnumName<workload::Scaling>{"mx", workload::Scaling::mx}};
};
}  // namespace orrery::config
