// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/structure/periods.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// For each rank, the least rank that a chain of these messages connects it with: ranks of one
/// number are the stages of a pipeline, if messages are those that stand outside of layers.
/// `messages`: of each distinct graph; those that are no sends do not count. O(messages of all
/// ranks).
[[nodiscard]] std::vector<std::uint32_t> connected_by(
    const Workload& workload, const std::vector<std::vector<NodeId>>& messages);

/// Messages of a graph that do not stand in layers (in layers, context parallelism has some).
[[nodiscard]] std::vector<NodeId> messages_outside(const Graph& graph, const Periods& layers);

}  // namespace orrery::graph
