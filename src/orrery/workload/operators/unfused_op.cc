// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/operators/unfused_op.h"

namespace orrery::workload {
namespace {

using graph::Operation;

/// A chain of `launches` kernels. Per output element they move `narrow` activations and `wide` fp32
/// values; kernels on one number per row are negligible.
struct Chain {
  std::uint32_t launches = 1;
  std::int64_t narrow = 0;
  std::int64_t wide = 0;
};

// Hugging Face's LlamaRMSNorm: cast to fp32, square, mean, add, rsqrt, scale, cast back, multiply
// by the weight; backward as in autograd.
constexpr Chain kRmsNorm{8, 4, 7}, kRmsNormBack{16, 8, 19};
// apply_rotary_pos_emb, for queries and keys: two products, a negated half, concatenation,
// addition.
constexpr Chain kRotary{10, 10, 0}, kRotaryBack{18, 15, 0};
// torchtitan's: cast to fp32, one product of complex numbers, cast back.
constexpr Chain kComplexRotary{6, 2, 4}, kComplexRotaryBack{6, 2, 4};
// act(gate), then the product with up; backward: two products and the gradient of the activation.
constexpr Chain kGated{2, 5, 0}, kGatedBack{3, 9, 0};

Chain chain_of(const Scope& scope, const graph::Kernel& kernel, bool back) {
  const Framework framework = scope.spec->kernels.framework;
  const Fusion fusion = scope.spec->kernels.fusion();
  switch (kernel.operation) {
    case Operation::rms_norm:
      if (fusion.norm) break;
      return back ? kRmsNormBack : kRmsNorm;
    case Operation::rotary:
      if (fusion.rotary) break;
      if (framework == Framework::torchtitan) return back ? kComplexRotaryBack : kComplexRotary;
      return back ? kRotaryBack : kRotary;
    case Operation::activation:
      if (fusion.activation || !kernel.has(graph::kGated)) break;
      return back ? kGatedBack : kGated;
    default:
      break;
  }
  return {};
}

}  // namespace

Op unfused_op(Op op, const Scope& scope, Amount elements, bool back) {
  const Chain chain = chain_of(scope, op.kernel, back);
  if (chain.narrow + chain.wide > 0) {
    op.bytes = (scope.activation(elements * chain.narrow) + elements * (4 * chain.wide)).value();
    op.kernel.launches = chain.launches;
  } else if (back && (op.kernel.operation == Operation::layer_norm ||
                      op.kernel.operation == Operation::rms_norm)) {
    op.kernel.launches = 2;  // the input gradient, and the sums over rows for the weights
  }
  return op;
}

}  // namespace orrery::workload
