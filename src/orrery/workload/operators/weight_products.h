// SPDX-License-Identifier: Apache-2.0
//
// The products of a weight matrix as kernels: one or several per pass, casts before them, and
// accumulation of gradients after them.
#pragma once

#include <vector>

#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

/// Ops in issue order. `casts` of the input precede `forward`. `gradient_casts` of the output
/// gradient precede `dgrad`; `wgrad` uses them, too.
struct WeightProducts {
  std::vector<Op> casts, forward;
  std::vector<Op> gradient_casts, dgrad, wgrad;
  Amount cast_saves = 0;  ///< bytes that the first cast does not read if it is fused with the
                          ///< kernel before it
  bool cast_fuses = false;
};

/// `x_bytes`: bytes of the full input that the product reads. `biased`: the product adds the
/// outputs' biases.
[[nodiscard]] WeightProducts products(const Scope& scope, const Linear& shape, Amount x_bytes,
                                      bool biased);

/// The gradient of `features` biases that were added to `rows` rows, in a separate kernel.
[[nodiscard]] Op bias_gradient_op(const Scope& scope, const OpName& name, Amount rows,
                                  Amount features);

/// A product that overlaps communication, cut into `pieces` pieces by token: `first` is the first
/// piece, `others` are the remaining ones.
struct SlicedProduct {
  std::vector<Op> first, others;
};
[[nodiscard]] SlicedProduct sliced_forward(const Scope& scope, const Linear& shape,
                                           std::int64_t pieces, bool biased);
[[nodiscard]] SlicedProduct sliced_input_gradient(const Scope& scope, const Linear& shape,
                                                  std::int64_t pieces);

/// Whether the product casts its inputs to a narrower format.
[[nodiscard]] bool casts(const Scope& scope, const Linear& shape);

/// Whether inputs that tensor parallelism gathers are cast before. Not with row-wise scaling:
/// torchtitan gathers fp8 only with one scale per tensor (enable_float8_tensorwise_tp).
[[nodiscard]] bool gathers_casts(const Scope& scope, const Linear& shape);

/// Casts of a gathered tensor: `share` of each rank before the gather, and later `transpose`, the
/// transposition of the full tensor for the weight gradient. Narrow formats are gathered in one
/// layout only (Transformer Engine, pytorch/module/layernorm_linear.py and _common.py: quantizers
/// that support only row-wise gathering).
struct GatheredCasts {
  Op share, transpose;
};
/// `share` and `whole`: tokens of `features` elements each.
[[nodiscard]] GatheredCasts gathered_casts(const Scope& scope, const char* name, Phase phase,
                                           Amount share, Amount whole, Amount features);
/// Bytes of `elements` elements in the format in which they are gathered.
[[nodiscard]] Amount gathered_bytes(const Scope& scope, const Linear& shape, Amount elements);

/// Append the casts and products of one pass to the tape.
void forward_products(Tape& tape, const WeightProducts& all);
void input_gradients(Tape& tape, const WeightProducts& all);
void weight_gradients(Tape& tape, const WeightProducts& all);

}  // namespace orrery::workload
