// SPDX-License-Identifier: Apache-2.0
//
// The assembly with its inputs in the open, for tests. Private to the room.
#pragma once

#include <functional>

#include "orrery/core/error.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

using Lowering = std::function<Result<LoweredModel>(const Spec&, const Mesh&, const Position&)>;

/// The padding of Megatron (`--make-vocab-size-divisible-by 128`), where the vocabulary cannot be
/// cut as it is: published sizes and counts of weights stay what they are otherwise.
[[nodiscard]] Spec pad_vocabulary(const Spec& spec, Findings& findings);

/// The program of a specification whose passes come in `order` and whose parts `lowering` makes.
/// Nothing is checked but the size of ops. Errc: config_range.
[[nodiscard]] Result<Program> assemble_with(const Spec& spec, const PipelineOrder& order,
                                            const Lowering& lowering);

/// The order that the specification asks for. Reads Schedule::file for kind `file`. Errc: config_*.
[[nodiscard]] Result<PipelineOrder> order_of(const Spec& spec);

}  // namespace orrery::workload
