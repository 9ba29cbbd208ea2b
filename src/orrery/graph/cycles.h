// SPDX-License-Identifier: Apache-2.0
//
// Circles in a directed graph that should have none.
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

/// The nodes that lie on a circle or between two circles, ascending; empty when there is no circle.
/// Linear.
[[nodiscard]] std::vector<NodeId> cyclic_core(const AdjacencyList& successors,
                                              const AdjacencyList& predecessors);

/// A circle through nodes of the core, each a successor of the one before; rotated to begin with
/// its smallest node. It is the shortest there is, unless the search would take too long; then the
/// shortest found.
[[nodiscard]] std::vector<NodeId> short_cycle(const AdjacencyList& successors,
                                              const AdjacencyList& predecessors,
                                              std::span<const NodeId> core);

/// Edges (from, to) without which no circle is left: those that close one in a depth-first walk by
/// ascending node.
[[nodiscard]] std::vector<std::pair<NodeId, NodeId>> closing_edges(const AdjacencyList& successors,
                                                                   std::span<const NodeId> core);

}  // namespace orrery::graph
