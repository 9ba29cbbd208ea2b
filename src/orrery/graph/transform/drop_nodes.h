// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/builder.h"

namespace orrery::graph {

/// Takes out the marked nodes. Who waited for one waits for all that it waited for, as long after
/// them as the lags on the way say. `order`: places in `nodes` in an order in which they can run.
/// O(nodes + edges), times the edges that are handed on.
void drop_nodes(std::vector<NodeSpec>& nodes, const std::vector<bool>& dropped,
                const std::vector<NodeId>& order);

}  // namespace orrery::graph
