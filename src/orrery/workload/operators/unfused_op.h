// SPDX-License-Identifier: Apache-2.0
//
// The cost of an operator that a framework runs as a chain of kernels, each of which reads and
// writes device memory.
#pragma once

#include "orrery/graph/kernel.h"
#include "orrery/workload/operators/scope.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Returns the op with the kernels of the job's framework; unchanged if that is one kernel.
/// `elements`: outputs of its forward pass.
[[nodiscard]] Op unfused_op(Op op, const Scope& scope, Amount elements, bool back);

}  // namespace orrery::workload
