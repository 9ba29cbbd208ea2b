// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "orrery/graph/structure/loop_periods.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// For each rank, the least rank that a chain of these messages connects it with: ranks of one
/// number are the stages of a pipeline, if messages are those that stand outside of layers.
/// `messages`: of each distinct graph; those that are no sends do not count. O(messages of all
/// ranks).
[[nodiscard]] std::vector<std::uint32_t> pipeline_leaders(
    const Workload& workload, const std::vector<std::vector<NodeId>>& messages);

/// Names of groups that several stages of one pipeline are in: what these do together is of what
/// they share (a table that the first looks up in and the last multiplies with), not of their
/// layers. `leaders`: as pipeline_leaders says them. O(members of all groups).
[[nodiscard]] std::set<std::string, std::less<>> groups_across_stages(
    const Workload& workload, const std::vector<std::uint32_t>& leaders);

/// Messages of a graph that do not stand in layers (in layers, context parallelism has some).
[[nodiscard]] std::vector<NodeId> messages_outside_layers(const Graph& graph,
                                                          const LoopPeriods& layers);

}  // namespace orrery::graph
