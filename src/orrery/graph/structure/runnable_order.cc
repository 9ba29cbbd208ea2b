// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/runnable_order.h"

#include <functional>
#include <queue>

namespace orrery::graph {

std::vector<NodeId> runnable_order(const Graph& graph) {
  std::vector<std::uint32_t> left(graph.in_degrees().begin(), graph.in_degrees().end());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (NodeId n = 0; n < graph.size(); ++n)
    if (left[n] == 0) ready.push(n);
  std::vector<NodeId> order;
  order.reserve(graph.size());
  while (!ready.empty()) {
    const NodeId n = ready.top();
    ready.pop();
    order.push_back(n);
    for (const NodeId next : graph.successors(n))
      if (--left[next] == 0) ready.push(next);
  }
  return order;
}

}  // namespace orrery::graph
