// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::graph {

/// A topological order of all nodes. Of several nodes that can run, the smallest id comes first.
[[nodiscard]] std::vector<NodeId> runnable_order(const Graph& graph);

/// A topological order with device work at the place of the call that launched it. Device work is
/// then in launch order, as on a single stream, not in order of recorded starts.
[[nodiscard]] std::vector<NodeId> launch_order(const Graph& graph);

}  // namespace orrery::graph
