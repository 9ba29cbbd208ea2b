// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/late_start.h"

#include <algorithm>
#include <optional>

#include "orrery/graph/structure/node_selection.h"

namespace orrery::graph {

bool is_start_wait(const Graph& graph, NodeId n) {
  return graph.has(n, kIsWait) && graph.in_degrees()[n] == 0;
}

Time late_start(const Graph& graph) {
  std::optional<Time> least;
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (graph.in_degrees()[n] > 0 || !work_kind(graph, n)) continue;
    if (!is_start_wait(graph, n)) return Time{};  // starts at once
    least = std::min(least.value_or(graph.duration(n)), graph.duration(n));
  }
  return least.value_or(Time{});
}

std::vector<Time> late_starts(const Workload& workload) {
  std::vector<Time> by_graph;
  by_graph.reserve(workload.graphs.size());
  for (const GraphRef& graph : workload.graphs) by_graph.push_back(late_start(*graph));
  std::vector<Time> made;
  made.reserve(workload.rank_count());
  for (const std::uint32_t number : workload.graph_of_rank) made.push_back(by_graph[number]);
  return made;
}

}  // namespace orrery::graph
