// SPDX-License-Identifier: Apache-2.0
//
// Converts the result of a simulation to a run. A run contains all data that later stages need, so
// that they use neither the workload nor the platform.
#pragma once

#include <vector>

#include "orrery/graph/held_memory.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/result/run.h"
#include "orrery/sim/sim_result.h"

namespace orrery::record {

/// Builds the run of `sim` (simulated with Options::record): timelines, groups, collectives, links,
/// memory, findings, the critical path, slack and critical spans (see analysis). `held`: by graph,
/// the memory of ranks whose nodes name no tensors; empty: unknown. The caller completes the
/// manifest. Deterministic. O(nodes + edges + messages).
[[nodiscard]] result::Run make_run(const graph::Workload& workload,
                                   const platform::Platform& platform, const sim::SimResult& sim,
                                   const std::vector<graph::HeldMemory>& held = {});

/// Whether a collective that ran as `type` sends tokens to experts or back, so that the sent bytes
/// may be fewer than stated.
[[nodiscard]] inline bool carries_tokens(graph::CollectiveType type,
                                         const graph::Collective& collective) {
  return type == graph::CollectiveType::all_to_all && static_cast<bool>(collective.exchange);
}
/// The same for a collective of a run with all spans.
[[nodiscard]] bool carries_tokens(const graph::Workload& workload, const result::Run& run,
                                  const result::Collective& one);

/// The error classes of the times on the critical path.
[[nodiscard]] std::vector<result::ErrorClass> error_classes(const sim::SimResult& sim);
/// The kinds of collectives whose times a library model predicted.
[[nodiscard]] std::vector<result::PredictedCollective> predicted_collectives(
    const sim::SimResult& sim);

}  // namespace orrery::record
