// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::analysis {

/// The dependency chain of one rank that takes longest by recorded durations, everything else left
/// aside.
struct LongestChain {
  Time duration{};  ///< sum of its recorded durations (saturates at kTimeMax)
  std::vector<graph::NodeId>
      nodes;                ///< first to last; of equally long chains, one with the most nodes
  std::uint32_t depth = 0;  ///< nodes on the chain with the most nodes, whatever they last
};

/// O(nodes + edges) time, 20 bytes per node of scratch.
[[nodiscard]] LongestChain longest_chain(const graph::Graph& graph);

}  // namespace orrery::analysis
