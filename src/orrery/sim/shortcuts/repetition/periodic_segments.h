// SPDX-License-Identifier: Apache-2.0
//
// Where a graph repeats itself: microbatches, layers, steps.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::sim {

/// Nodes first … first+length-1. Each but those of the last period is, to a simulation, the same as
/// the one `period` further on: equal but for ids, names, tensors and a message's tag, with as many
/// dependencies, and followed by nodes at equal distances.
struct PeriodicSegment {
  graph::NodeId first = 0;
  graph::NodeId length = 0;  ///< at least four periods
  graph::NodeId period = 0;
  std::int64_t tag_shift = 0;  ///< how much higher the tags of the next period's messages are
  bool messages = false;       ///< there are some

  [[nodiscard]] graph::NodeId end() const { return first + length; }

  friend bool operator==(const PeriodicSegment&, const PeriodicSegment&) = default;
};

/// Stretches of the graph that repeat, by where they begin; they do not overlap. Of those that do
/// (layers within microbatches) the ones are taken that repeat most nodes. They are compared node
/// by node; which periods to try is guessed from how far apart equal nodes are, so some may be
/// missed. None of graphs that lie in a file. O(nodes + edges).
[[nodiscard]] std::vector<PeriodicSegment> find_periodic_segments(const graph::Graph& graph);

}  // namespace orrery::sim
