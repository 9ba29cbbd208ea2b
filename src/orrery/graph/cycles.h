// SPDX-License-Identifier: Apache-2.0
//
// Finds cycles in a graph that must be acyclic.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::graph {

/// Edges as CSR: node n points at `to[first[n] … first[n+1])`.
struct AdjacencyList {
  std::span<const std::uint32_t> first;
  std::span<const NodeId> to;

  [[nodiscard]] NodeId size() const { return static_cast<NodeId>(first.size() - 1); }
  [[nodiscard]] std::span<const NodeId> of(NodeId n) const {
    return to.subspan(first[n], first[n + 1] - first[n]);
  }
};

/// The nodes on a cycle or on a path between two cycles, ascending; empty if there is no cycle.
/// O(nodes + edges).
[[nodiscard]] std::vector<NodeId> cyclic_core(const AdjacencyList& successors,
                                              const AdjacencyList& predecessors);

/// A cycle in the core: each node is a successor of the previous one, and the first has the
/// smallest id. It is the shortest cycle, unless the search exceeds its budget. Then it is the
/// shortest cycle found.
[[nodiscard]] std::vector<NodeId> short_cycle(const AdjacencyList& successors,
                                              const AdjacencyList& predecessors,
                                              std::span<const NodeId> core);

/// Edges (from, to) whose removal leaves no cycle: the back edges of a depth-first search in
/// ascending order of nodes.
[[nodiscard]] std::vector<std::pair<NodeId, NodeId>> closing_edges(const AdjacencyList& successors,
                                                                   std::span<const NodeId> core);

}  // namespace orrery::graph
