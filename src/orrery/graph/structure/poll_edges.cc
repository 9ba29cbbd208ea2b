// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/poll_edges.h"

#include <algorithm>
#include <map>
#include <utility>

#include "orrery/graph/structure/node_selection.h"

namespace orrery::graph {
namespace {

using Source = std::pair<NodeId, std::size_t>;  // a node, and the index of its edge to the poll

/// How likely the edge leads to the work whose value the thread reads; lower is likelier.
int preference(const Graph& graph, NodeId from, std::size_t i) {
  const DependencyKind kind = edge_kind(graph, from, i);
  if (kind == DependencyKind::stream) return 0;
  return kind == DependencyKind::launch ? 1 : 2;
}

NodeId work_of(const Graph& graph, const std::vector<Source>& sources) {
  const NodeId first = sources.front().first;
  const auto after = graph.successors(first);
  NodeId best = kNoNode;
  int best_preference = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const NodeId work = after[i];
    if (graph.is_cpu(work)) continue;
    const bool of_all = std::all_of(sources.begin(), sources.end(), [&](const Source& source) {
      return graph.edge(source.first, work) != kNoNode;
    });
    if (!of_all) continue;
    const int is = preference(graph, first, i);
    if (best == kNoNode || is < best_preference) {
      best = work;
      best_preference = is;
    }
  }
  return best;
}

}  // namespace

std::vector<PollEdge> poll_edges(const Graph& graph) {
  std::vector<PollEdge> made;
  if (!graph.has_edge_kinds() || !graph.has_lags()) return made;
  std::map<NodeId, std::vector<Source>> polls;
  for (NodeId n = 0; n < graph.size(); ++n) {
    const auto kinds = graph.edge_kinds(n);
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (kinds[i] == DependencyKind::poll) polls[graph.successors(n)[i]].emplace_back(n, i);
  }
  for (const auto& [poll, sources] : polls) {
    const NodeId work = work_of(graph, sources);
    if (work == kNoNode) continue;
    for (const auto& [from, edge] : sources)
      made.push_back({from, edge, work, graph.edge(from, work)});
  }
  return made;
}

}  // namespace orrery::graph
