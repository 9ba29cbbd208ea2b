// SPDX-License-Identifier: Apache-2.0
//
// What an operator costs that a framework does not have as one kernel: a chain of them, each of
// which reads and writes memory.
#pragma once

#include "orrery/graph/kernel.h"
#include "orrery/workload/operators/scope.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// The op as the job's framework runs it: unchanged where that is one kernel. `elements`: of what
/// comes out of its forward pass.
[[nodiscard]] Op unfused_op(Op op, const Scope& scope, Amount elements, bool back);

}  // namespace orrery::workload
