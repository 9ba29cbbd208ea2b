// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/pipeline_stages.h"

#include <numeric>
#include <set>

#include "orrery/core/disjoint_sets.h"

namespace orrery::graph {

std::vector<NodeId> sends_outside_layers(const Graph& graph, const LoopPeriods& layers) {
  std::vector<NodeId> made;
  for (NodeId n = 0; n < graph.size(); ++n)
    if (graph.kind(n) == NodeKind::send && !layers.of(n).in_loop()) made.push_back(n);
  return made;
}

std::vector<std::uint32_t> pipeline_leaders(const Workload& workload,
                                            const std::vector<std::vector<NodeId>>& messages) {
  const std::uint32_t ranks = workload.rank_count();
  DisjointSets joined(ranks);
  for (std::uint32_t from = 0; from < ranks; ++from) {
    const Graph& graph = workload.graph(from);
    std::set<std::int32_t> to;
    for (const NodeId n : messages[workload.graph_of_rank[from]])
      if (graph.kind(n) == NodeKind::send) to.insert(graph.message(n, from).dst);
    for (const std::int32_t other : to)
      if (other >= 0 && static_cast<std::uint32_t>(other) < ranks)
        joined.join(from, static_cast<std::uint32_t>(other));
  }
  std::vector<std::uint32_t> leader(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) leader[rank] = joined.find(rank);
  return leader;
}

std::set<std::string, std::less<>> groups_across_stages(const Workload& workload,
                                                        const std::vector<std::uint32_t>& leaders) {
  std::set<std::string, std::less<>> made;
  const auto see = [&](const std::string& name, const std::vector<std::uint32_t>& members) {
    std::set<std::uint32_t> pipelines;
    for (const std::uint32_t rank : members)
      if (rank < leaders.size() && !pipelines.insert(leaders[rank]).second) made.insert(name);
  };
  std::vector<std::uint32_t> all(workload.rank_count());
  std::iota(all.begin(), all.end(), 0u);
  for (const auto& [name, group] : workload.groups)
    see(name, group.ranks.empty() ? all : group.ranks);
  for (const auto& [name, axis] : workload.axes)
    for (const std::uint32_t rank : all)
      if (axis.has(rank) && axis.first(rank) == rank) see(name, axis.members(rank));
  return made;
}

}  // namespace orrery::graph
