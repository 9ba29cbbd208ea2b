// SPDX-License-Identifier: Apache-2.0
//
// The products of a weight matrix as kernels: one or several of each kind, casts before them, and
// what adds up gradients behind them.
#pragma once

#include <vector>

#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

/// In the order of issue. Casts of the input come before the forward products, those of the
/// output's gradient before `dgrad`, which `wgrad` shares.
struct WeightProducts {
  std::vector<Op> casts, forward;
  std::vector<Op> gradient_casts, dgrad, wgrad;
  Amount cast_saves = 0;  ///< bytes that the first cast need not read behind a kernel that it is
                          ///< fused with
  bool cast_fuses = false;
};

/// `x_bytes`: of the input where it is multiplied. `biased`: outputs' biases are added in the
/// product.
[[nodiscard]] WeightProducts products(const Scope& scope, const Linear& shape, Amount x_bytes,
                                      bool biased);

/// The gradient of `features` biases that were added to `rows`, in a kernel of its own.
[[nodiscard]] Op bias_gradient_op(const Scope& scope, const OpName& name, Amount rows,
                                  Amount features);

/// A product beside communication, in two: of the first of `pieces` pieces of its tokens, and of
/// all the others, piece by piece.
struct SlicedProduct {
  std::vector<Op> one, others;
};
[[nodiscard]] SlicedProduct sliced_forward(const Scope& scope, const Linear& shape,
                                           std::int64_t pieces, bool biased);
[[nodiscard]] SlicedProduct sliced_input_gradient(const Scope& scope, const Linear& shape,
                                                  std::int64_t pieces);

/// Whether inputs are cast to a narrower format.
[[nodiscard]] bool casts(const Scope& scope, const Linear& shape);

/// Casts of what is gathered: each rank's `share` as it lies, and later the `whole` turned over for
/// the weights' gradients. Narrow formats are gathered in one layout only (Transformer Engine,
/// pytorch/module/layernorm_linear.py and _common.py: quantizers that support only row-wise
/// gathering).
struct GatheredCasts {
  Op share, turn;
};
/// `share` and `whole` in tokens of `features`.
[[nodiscard]] GatheredCasts gathered_casts(const Scope& scope, const char* name, Phase phase,
                                           Amount share, Amount whole, Amount features);
/// Bytes of so many elements as they are gathered.
[[nodiscard]] Amount gathered_bytes(const Scope& scope, const Linear& shape, Amount elements);

/// Writes down the casts and the forward products; the same for the backward pass.
void forward_products(Tape& tape, const WeightProducts& all);
void input_gradients(Tape& tape, const WeightProducts& all);
void weight_gradients(Tape& tape, const WeightProducts& all);

}  // namespace orrery::workload
