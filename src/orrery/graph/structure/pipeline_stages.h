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

/// By rank: the lowest rank that a chain of these messages connects it with. If `messages` are
/// those outside of layers, ranks with the same result are the stages of one pipeline. `messages`:
/// by distinct graph; only sends count. O(messages of all ranks).
[[nodiscard]] std::vector<std::uint32_t> pipeline_leaders(
    const Workload& workload, const std::vector<std::vector<NodeId>>& messages);

/// Names of groups that contain several stages of one pipeline. Their collectives belong to what
/// the stages share (an embedding table that the first stage looks up and the last multiplies
/// with), not to layers. `leaders`: the result of pipeline_leaders(). O(members of all groups).
[[nodiscard]] std::set<std::string, std::less<>> groups_across_stages(
    const Workload& workload, const std::vector<std::uint32_t>& leaders);

/// Sends of a graph outside of layers. (Messages in layers belong to context parallelism.)
[[nodiscard]] std::vector<NodeId> sends_outside_layers(const Graph& graph,
                                                       const LoopPeriods& layers);

}  // namespace orrery::graph
