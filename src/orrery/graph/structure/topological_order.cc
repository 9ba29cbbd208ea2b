// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/topological_order.h"

#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "orrery/graph/structure/node_selection.h"

namespace orrery::graph {
namespace {

/// A topological order; of several nodes that can run, the one with the lowest key comes first.
std::vector<NodeId> order_by(const Graph& graph, const std::vector<NodeId>& keys) {
  using Ready = std::pair<NodeId, NodeId>;  // key, node
  std::vector<std::uint32_t> left(graph.in_degrees().begin(), graph.in_degrees().end());
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (NodeId n = 0; n < graph.size(); ++n)
    if (left[n] == 0) ready.emplace(keys[n], n);
  std::vector<NodeId> order;
  order.reserve(graph.size());
  while (!ready.empty()) {
    const NodeId n = ready.top().second;
    ready.pop();
    order.push_back(n);
    for (const NodeId next : graph.successors(n))
      if (--left[next] == 0) ready.emplace(keys[next], next);
  }
  return order;
}

std::vector<NodeId> own_ids(const Graph& graph) {
  std::vector<NodeId> keys(graph.size());
  std::iota(keys.begin(), keys.end(), NodeId{0});
  return keys;
}

}  // namespace

std::vector<NodeId> runnable_order(const Graph& graph) { return order_by(graph, own_ids(graph)); }

std::vector<NodeId> launch_order(const Graph& graph) {
  std::vector<NodeId> keys = own_ids(graph);
  for (NodeId n = 0; n < graph.size(); ++n) {
    const auto after = graph.successors(n);
    for (std::size_t i = 0; i < after.size(); ++i)
      if (edge_kind(graph, n, i) == DependencyKind::launch) keys[after[i]] = n;
  }
  return order_by(graph, keys);
}

}  // namespace orrery::graph
