// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::graph {

/// All nodes in an order in which they can run, the smaller id first where several can.
/// O((nodes + edges) log nodes).
[[nodiscard]] std::vector<NodeId> runnable_order(const Graph& graph);

}  // namespace orrery::graph
