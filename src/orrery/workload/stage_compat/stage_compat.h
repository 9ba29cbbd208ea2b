// SPDX-License-Identifier: Apache-2.0
//
// The workload as the STAGE generator (astra-sim/stage at 9ec6c02) writes it, with its errors, for
// comparison with studies that used it. docs/reference/workload.md lists the errors. Without
// `compat: stage` nothing of this applies.
#pragma once

#include <string_view>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// STAGE's program. Every tensor operation, collective and message of STAGE is an op here. Products
/// count multiply-accumulates in `matmul`; all other operations count in `vector`. `bytes` are the
/// elements of the result and `size` the elements sent, which readers interpret as bytes.
/// Differences from STAGE: microbatches run forward one after another, then backward (STAGE leaves
/// the order to the simulator); tags are not random; groups of one rank are not listed.
///
/// Meaning of the specification: gated MLPs use STAGE's `--mixed_precision true` block, others its
/// default one. Experts need `parallel.ep_own_axis`. `recompute`, `precision`, `optimizer` and
/// `kernels` have no effect, as in STAGE. STAGE numbers ranks in the order "dp-tp-cp-ep-pp".
///
/// Errc: config_conflict if STAGE does not support a feature or would split something unevenly;
/// config_range (an op above 2^62).
[[nodiscard]] Result<Program> assemble_stage(const Spec& spec);

/// STAGE's name for the kind of this operation, as in its attribute `op_type`: "M", "CUSTOM", "A",
/// "E", "E2", "B", "R" or "SLICE". Empty for communication. Only for programs of `assemble_stage`.
[[nodiscard]] std::string_view stage_class(const Op& op);

}  // namespace orrery::workload
