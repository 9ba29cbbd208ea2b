// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/builder.h"

namespace orrery::graph {

/// Removes the marked nodes. A node that waited for a removed node inherits its dependencies, with
/// the sum of the lags on the way. `order`: indexes in `nodes`, in topological order. O(nodes +
/// edges) times the inherited edges per node.
void drop_nodes(std::vector<NodeSpec>& nodes, const std::vector<bool>& dropped,
                const std::vector<NodeId>& order);

}  // namespace orrery::graph
