// SPDX-License-Identifier: Apache-2.0
//
// From a simulation to a run: what happened, put together so that nothing downstream needs the
// workload or the platform any more.
#pragma once

#include <vector>

#include "orrery/graph/held_memory.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/result/run.h"
#include "orrery/sim/sim_result.h"

namespace orrery::record {

/// The run that `sim` (simulated with Options::record) was: timelines, groups, collectives, links,
/// memory, findings; the critical path, slack and which spans are critical (see analysis). `held`:
/// what ranks hold whose nodes name no tensors, by graph; empty: not known. The caller adds what it
/// knows to the manifest. Deterministic. O(nodes + edges + messages).
[[nodiscard]] result::Run make_run(const graph::Workload& workload,
                                   const platform::Platform& platform, const sim::SimResult& sim,
                                   const std::vector<graph::HeldMemory>& held = {});

/// Whether it took copies of tokens to experts or back, of which fewer may travel than are stated.
/// The run still has all spans.
[[nodiscard]] bool carries_tokens(const graph::Workload& workload, const result::Run& run,
                                  const result::Collective& one);

/// Who told how long the critical path takes, and the collectives that a library runs.
[[nodiscard]] std::vector<result::ErrorClass> error_classes(const sim::SimResult& sim);
[[nodiscard]] std::vector<result::PredictedCollective> predicted(const sim::SimResult& sim);

}  // namespace orrery::record
