// SPDX-License-Identifier: Apache-2.0
//
// Device kernels of a layer's operators. compute_op adds pass, FLOPs and bytes. Sizes beyond 64
// bits saturate (amount.h); the check of the op rejects them.
#pragma once

#include "orrery/graph/kernel.h"
#include "orrery/workload/operators/scope.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// `type` as a graph::Format.
[[nodiscard]] graph::Format format_of(Dtype type);
/// The format of matrix products with weights; block-scaled fp8 with blockwise or mx scaling.
[[nodiscard]] graph::Format product_format(const Spec& spec);
/// The format of all other operators on activations: at least 16 bits.
[[nodiscard]] graph::Format vector_format(const Spec& spec);

/// A weight matrix of in × out, and the number of rows that it multiplies.
struct ProductShape {
  Amount rows;
  Amount in;
  Amount out;
  Amount copies = 1;  ///< number of experts, over which the rows are distributed: a grouped product
  bool bias = false;
};
/// The kernel of one of the three products of `shape`, in storage order: activations rows ×
/// features, weights out × in. The forward product thus reads the weights transposed; the weight
/// gradient reads both inputs.
[[nodiscard]] graph::Kernel product_kernel(const Scope& scope, graph::Pass pass,
                                           const ProductShape& shape);

/// The kernel of a norm, softmax or loss: it reduces along rows.
[[nodiscard]] graph::Kernel rows_kernel(const Scope& scope, graph::Operation operation, Amount rows,
                                        Amount features);
/// An element-wise kernel. `features`: elements per row; 0: unknown.
[[nodiscard]] graph::Kernel elements_kernel(const Scope& scope, graph::Operation operation,
                                            Amount elements, Amount features = 0);

/// The default operation of ops of a class.
[[nodiscard]] graph::Operation default_operation(OpClass op_class);
/// The kernel pass of `phase`.
[[nodiscard]] graph::Pass pass_of(Phase phase);
/// Fuses `from` into `into`. The result has the operation of the less trivial of the two.
void fuse(graph::Kernel& into, const graph::Kernel& from);

}  // namespace orrery::workload
