// SPDX-License-Identifier: Apache-2.0
//
// The workload as the STAGE generator (astra-sim/stage at 9ec6c02) makes it, mistakes too: for
// comparing with studies that used it. What is wrong with it is listed in
// docs/reference/workload.md; without `compat: stage` none of it applies.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// STAGE's program. Every tensor operation, collective and message that STAGE writes is an op here:
/// products count multiply-accumulates in `matmul`, all else is in `vector`; `bytes` are the
/// elements of the result and `size` the elements sent, which readers take for bytes. What differs:
/// microbatches run forward one after another, then backward (STAGE leaves that to the simulator),
/// tags are not random, and no group of one rank is listed.
///
/// How the specification is read: gated MLPs are STAGE's `--mixed_precision true` block, others its
/// default one; experts need `parallel.ep_own_axis`; `recompute`, `precision`, `optimizer` and
/// `kernels` change nothing, as there. STAGE numbers ranks in the order "dp-tp-cp-ep-pp".
///
/// Errc: config_conflict where STAGE has no such thing or would cut something unevenly;
/// config_range (an op beyond 2^62).
[[nodiscard]] Result<Program> assemble_stage(const Spec& spec);

/// What STAGE calls the kind of this operation, as in its attribute `op_type`: "M", "CUSTOM", "A",
/// "E", "E2", "B", "R" or "SLICE". Empty for communication. Only for programs of `assemble_stage`.
[[nodiscard]] std::string_view stage_class(const Op& op);

}  // namespace orrery::workload
