// SPDX-License-Identifier: Apache-2.0
//
// The products of a weight matrix as kernels: one or several of each kind, casts before them, and
// what adds up gradients behind them.
#pragma once

#include <vector>

#include "orrery/workload/layers/primitives.h"

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

/// Writes down the casts and the forward products; the same for the backward pass.
void forward_products(Tape& tape, const WeightProducts& all);
void input_gradients(Tape& tape, const WeightProducts& all);
void weight_gradients(Tape& tape, const WeightProducts& all);

}  // namespace orrery::workload
