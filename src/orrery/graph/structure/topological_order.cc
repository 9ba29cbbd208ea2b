// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/topological_order.h"

#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "orrery/graph/structure/node_selection.h"

namespace orrery::graph {
namespace {

/// All nodes in an order in which they can run, those that count less first.
std::vector<NodeId> order_by(const Graph& graph, const std::vector<NodeId>& counts_as) {
  using Ready = std::pair<NodeId, NodeId>;  // what it counts as, and itself
  std::vector<std::uint32_t> left(graph.in_degrees().begin(), graph.in_degrees().end());
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (NodeId n = 0; n < graph.size(); ++n)
    if (left[n] == 0) ready.emplace(counts_as[n], n);
  std::vector<NodeId> order;
  order.reserve(graph.size());
  while (!ready.empty()) {
    const NodeId n = ready.top().second;
    ready.pop();
    order.push_back(n);
    for (const NodeId next : graph.successors(n))
      if (--left[next] == 0) ready.emplace(counts_as[next], next);
  }
  return order;
}

std::vector<NodeId> themselves(const Graph& graph) {
  std::vector<NodeId> counts_as(graph.size());
  std::iota(counts_as.begin(), counts_as.end(), NodeId{0});
  return counts_as;
}

}  // namespace

std::vector<NodeId> runnable_order(const Graph& graph) {
  return order_by(graph, themselves(graph));
}

std::vector<NodeId> launch_order(const Graph& graph) {
  std::vector<NodeId> counts_as = themselves(graph);
  for (NodeId n = 0; n < graph.size(); ++n) {
    const auto after = graph.successors(n);
    const auto kinds = graph.edge_kinds(n);
    for (std::size_t i = 0; i < after.size(); ++i)
      if (edge_kind(graph, n, after[i], kinds.empty() ? DependencyKind::unsaid : kinds[i]) ==
          DependencyKind::launch)
        counts_as[after[i]] = n;
  }
  return order_by(graph, counts_as);
}

}  // namespace orrery::graph
