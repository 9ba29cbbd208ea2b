// SPDX-License-Identifier: Apache-2.0
//
// Finds repetitions in a graph: microbatches, layers, steps.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::sim {

/// Nodes first … first+length-1. To a simulation, each node except those of the last period equals
/// the one `period` later: equal except for ids, names, tensors and a message's tag, with the same
/// number of dependencies, and with successors at equal distances.
struct PeriodicSegment {
  graph::NodeId first = 0;
  graph::NodeId length = 0;  ///< at least four periods
  graph::NodeId period = 0;
  std::int64_t tag_shift = 0;  ///< tags of the next period's messages minus those of this period
  bool messages = false;       ///< whether it contains messages

  [[nodiscard]] graph::NodeId end() const { return first + length; }

  friend bool operator==(const PeriodicSegment&, const PeriodicSegment&) = default;
};

/// The repeating segments of the graph, in order; they do not overlap. Of overlapping candidates
/// (layers within microbatches), those that repeat most nodes are selected. The function compares
/// nodes one by one, but tries only periods that are likely from the distances of equal nodes, so
/// that it can miss some. Returns none for graphs in a file. O(nodes + edges).
[[nodiscard]] std::vector<PeriodicSegment> find_periodic_segments(const graph::Graph& graph);

}  // namespace orrery::sim
