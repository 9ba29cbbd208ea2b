// SPDX-License-Identifier: Apache-2.0
//
// What the operators of a layer are to a device: their kernels. Passed to compute_op, which knows
// pass, FLOPs and bytes. Sizes that leave 64 bits are too large here, too, and refused with the op.
#pragma once

#include "orrery/graph/kernel.h"
#include "orrery/workload/operators/scope.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// The same in the graph's words; fp8 as the scaling of the job has it.
[[nodiscard]] graph::Format format_of(Dtype type);
/// In which products with weights are computed.
[[nodiscard]] graph::Format product_format(const Spec& spec);
/// … and everything else that works on activations: never in less than 16 bits.
[[nodiscard]] graph::Format vector_format(const Spec& spec);

/// A weight matrix of in × out, and what it is multiplied with.
struct ProductShape {
  Amount rows;
  Amount in;
  Amount out;
  Amount copies = 1;  ///< experts, which share the rows out: a grouped product
  bool bias = false;
};
/// The three products of `shape`, as matrices are stored: activations rows × features, weights out
/// × in, so the forward product reads the weights transposed, the weights' gradient both inputs.
[[nodiscard]] graph::Kernel product_kernel(const Scope& scope, graph::Pass pass,
                                           const ProductShape& shape);

/// Norms, softmax, losses: reduce along rows.
[[nodiscard]] graph::Kernel rows_kernel(const Scope& scope, graph::Operation operation, Amount rows,
                                        Amount features);
/// One number after the other; in rows of `features` where that is said.
[[nodiscard]] graph::Kernel elements_kernel(const Scope& scope, graph::Operation operation,
                                            Amount elements, Amount features = 0);

/// What ops of a class are when nothing is said.
[[nodiscard]] graph::Operation usual_operation(OpClass op_class);
/// Which pass `phase` is to a kernel.
[[nodiscard]] graph::Pass pass_of(Phase phase);
/// Makes one kernel of two: it is of the kind of its less trivial part.
void fuse(graph::Kernel& into, const graph::Kernel& from);

}  // namespace orrery::workload
