// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/workload/longest_chain.h"

#include <algorithm>

namespace orrery::analysis {

using graph::kNoNode;
using graph::NodeId;

LongestChain longest_chain(const graph::Graph& graph) {
  // For each node, the best chain that ends just before it. A node is visited after all its
  // dependencies.
  struct Best {
    Time duration{};
    std::uint32_t nodes = 0;
    std::uint32_t depth = 0;
    NodeId before = kNoNode;
  };
  const NodeId size = graph.size();
  std::vector<Best> best(size);
  std::vector<std::uint32_t> waits(graph.in_degrees().begin(), graph.in_degrees().end());
  std::vector<NodeId> ready;
  for (NodeId n = 0; n < size; ++n) {
    if (waits[n] == 0) ready.push_back(n);
  }

  LongestChain longest;
  Best end;
  NodeId last = kNoNode;
  while (!ready.empty()) {
    const NodeId n = ready.back();
    ready.pop_back();
    Best here = best[n];
    const Time own = std::max(graph.duration(n), Time{});
    here.duration = own > kTimeMax - here.duration ? kTimeMax : here.duration + own;
    ++here.nodes;
    ++here.depth;
    longest.depth = std::max(longest.depth, here.depth);
    const auto better = [](const Best& a, NodeId at, const Best& b, NodeId bt) {
      if (a.duration != b.duration) return a.duration > b.duration;
      return a.nodes != b.nodes ? a.nodes > b.nodes : at < bt;
    };
    if (better(here, n, end, last)) {
      end = here;
      last = n;
    }
    for (const NodeId next : graph.successors(n)) {
      Best& other = best[next];
      other.depth = std::max(other.depth, here.depth);
      if (better(here, n, other, other.before)) {
        const std::uint32_t depth = other.depth;
        other = here;
        other.depth = depth;
        other.before = n;
      }
      if (--waits[next] == 0) ready.push_back(next);
    }
  }

  longest.duration = end.duration;
  for (NodeId n = last; n != kNoNode; n = best[n].before) longest.nodes.push_back(n);
  std::reverse(longest.nodes.begin(), longest.nodes.end());
  return longest;
}

}  // namespace orrery::analysis
