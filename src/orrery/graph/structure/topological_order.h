// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::graph {

/// All nodes in an order in which they can run, the smaller id first where several can.
/// O((nodes + edges) log nodes).
[[nodiscard]] std::vector<NodeId> runnable_order(const Graph& graph);

/// … where what a call launched counts with the call: works of a device stand in the order in
/// which they were launched, as they would run on a single stream, and not in that of their begins.
[[nodiscard]] std::vector<NodeId> launch_order(const Graph& graph);

}  // namespace orrery::graph
