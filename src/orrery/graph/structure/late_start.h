// SPDX-License-Identifier: Apache-2.0
//
// Ranks that start later than the first rank of a recording.
#pragma once

#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Whether `n` represents the time until recorded work starts ("[recorded start]"): a wait without
/// dependencies.
[[nodiscard]] bool is_start_wait(const Graph& graph, NodeId n);

/// How much later than the first rank this rank starts: everything in it waits at least this long.
/// The cause is before the recording. 0: it starts with the first rank. O(nodes).
[[nodiscard]] Time late_start(const Graph& graph);

/// The same for each rank.
[[nodiscard]] std::vector<Time> late_starts(const Workload& workload);

}  // namespace orrery::graph
