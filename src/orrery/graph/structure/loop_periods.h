// SPDX-License-Identifier: Apache-2.0
//
// Which nodes belong to which period of which loop.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "orrery/graph/structure/loops.h"

namespace orrery::graph {

inline constexpr std::uint32_t kNoLoop = ~std::uint32_t{0};

/// Where a node stands. Nodes of one loop and one slot do the same in different periods.
struct LoopPlace {
  std::uint32_t loop = kNoLoop;  ///< kNoLoop: in none
  std::uint32_t period = 0;
  std::uint32_t slot = 0;

  [[nodiscard]] bool in_loop() const { return loop != kNoLoop; }
};

/// All nodes of a graph, by loops that do not overlap. A work of the spine is where it stands. What
/// a host does belongs to the next work that it launches, other devices' work to the last that it
/// waits for; in graphs without lanes, what lies between two works by id belongs to the first.
class LoopPeriods {
 public:
  /// O(nodes + edges).
  LoopPeriods(const Graph& graph, const Spine& spine, std::span<const Loop> loops,
              NodeClasses& symbols);

  [[nodiscard]] const LoopPlace& of(NodeId n) const { return places_[n]; }
  /// The node of a place, or kNoNode.
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
  std::vector<std::size_t> first_period_;  // by loop, in nodes_
  std::vector<std::vector<NodeId>> nodes_;
  std::unordered_map<std::uint64_t, NodeId> by_slot_;  // period in nodes_, slot
};

}  // namespace orrery::graph
