// SPDX-License-Identifier: Apache-2.0
//
// Assigns the nodes of a graph to the periods of its loops.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "orrery/graph/structure/loops.h"

namespace orrery::graph {

inline constexpr std::uint32_t kNoLoop = ~std::uint32_t{0};

/// Loop, period and slot of a node. Nodes with the same loop and slot do the same work in different
/// periods.
struct LoopPlace {
  std::uint32_t loop = kNoLoop;  ///< kNoLoop: outside of all loops
  std::uint32_t period = 0;
  std::uint32_t slot = 0;

  [[nodiscard]] bool in_loop() const { return loop != kNoLoop; }
};

/// Assigns all nodes of a graph to the periods of loops that do not overlap. A node of the spine
/// belongs to the period at its position. A host node belongs to the period of the next spine node
/// that it launches, any other node to that of the last spine node that it waits for. In graphs
/// without lanes, nodes between two spine nodes by id belong to the first of the two.
class LoopPeriods {
 public:
  /// O(nodes + edges).
  LoopPeriods(const Graph& graph, const Spine& spine, std::span<const Loop> loops,
              NodeClasses& symbols);

  [[nodiscard]] const LoopPlace& of(NodeId n) const { return places_[n]; }
  /// The node with this loop, period and slot, or kNoNode.
  [[nodiscard]] NodeId at(std::uint32_t loop, std::int64_t period, std::uint32_t slot) const;
  [[nodiscard]] std::uint32_t times(std::uint32_t loop) const { return loops_[loop].times; }
  [[nodiscard]] std::span<const Loop> loops() const { return loops_; }
  /// Nodes of one period, ascending.
  [[nodiscard]] const std::vector<NodeId>& nodes(std::uint32_t loop, std::uint32_t period) const {
    return nodes_[first_period_[loop] + period];
  }

 private:
  std::vector<Loop> loops_;
  std::vector<LoopPlace> places_;
  std::vector<std::size_t> first_period_;  // by loop: index of its first period in nodes_
  std::vector<std::vector<NodeId>> nodes_;
  std::unordered_map<std::uint64_t, NodeId> by_slot_;  // key: index of the period in nodes_, slot
};

}  // namespace orrery::graph
