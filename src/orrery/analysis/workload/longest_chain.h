// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::analysis {

/// The longest dependency chain of one rank by recorded durations, ignoring streams and other
/// ranks.
struct LongestChain {
  Time duration{};  ///< sum of its recorded durations (saturates at kTimeMax)
  std::vector<graph::NodeId>
      nodes;  ///< first to last; among equally long chains, one with the most nodes
  /// Nodes on the chain with the most nodes, regardless of their durations.
  std::uint32_t depth = 0;
};

/// O(nodes + edges) time, 20 bytes per node of scratch.
[[nodiscard]] LongestChain longest_chain(const graph::Graph& graph);

}  // namespace orrery::analysis
