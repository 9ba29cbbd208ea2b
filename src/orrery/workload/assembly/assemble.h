// SPDX-License-Identifier: Apache-2.0
//
// The assembly with explicit inputs, for tests. Private to this folder.
#pragma once

#include <functional>

#include "orrery/core/error.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

using Lowering = std::function<Result<LoweredModel>(const Spec&, const Mesh&, const Position&)>;

/// Pads the vocabulary as Megatron does (`--make-vocab-size-divisible-by 128`), but only if tp does
/// not divide it. Otherwise sizes and counts of weights stay as published.
[[nodiscard]] Spec pad_vocabulary(const Spec& spec, Findings& findings);

/// Builds the program of a specification with the passes of `order` and the parts that `lowering`
/// returns. Checks only the size of ops. Errc: config_range.
[[nodiscard]] Result<Program> assemble_with(const Spec& spec, const PipelineOrder& order,
                                            const Lowering& lowering);

/// The pipeline order of the specification. Reads Schedule::file for kind `file`. Errc: config_*.
[[nodiscard]] Result<PipelineOrder> order_of(const Spec& spec);

}  // namespace orrery::workload
