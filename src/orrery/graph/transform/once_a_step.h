// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/graph/structure/loops.h"

namespace orrery::graph {

/// `longer`: `graph` with so many more layers in each pass. What is there once a step for the
/// parameters of all layers (optimizers, norms of gradients, collectives of groups that no layer
/// has a collective of its own in) works on as many more of them: times, operations, bytes and
/// sizes grow. How many parameters are in layers and how many are not is told by products, norms
/// and lookups of the passes forward; where no kernel says, all are in layers. O(nodes).
[[nodiscard]] Result<Graph> once_a_step(const Graph& graph, const Spine& spine, const Loops& loops,
                                        std::int64_t more, Graph longer);

}  // namespace orrery::graph
