// SPDX-License-Identifier: Apache-2.0
//
// Threads that read what device work writes before it ends (DependencyKind::poll).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// An edge to a polling thread. Its lag is the lag of the edge from the same node to the work, plus
/// the time of the work until the thread reads the value.
struct PollEdge {
  NodeId from = kNoNode;
  std::size_t edge = 0;  ///< index of the thread's node among the successors of `from`
  NodeId work = kNoNode;
  std::size_t work_edge = 0;  ///< index of the work among the successors of `from`

  /// Lag until the work starts.
  [[nodiscard]] Time before_work(const Graph& graph) const { return graph.lag(from, work_edge); }
  /// Time of the work until the thread reads the value.
  [[nodiscard]] Time progress(const Graph& graph) const {
    return std::max(Time{}, graph.lag(from, edge) - before_work(graph));
  }
};

/// All edges to polling threads. The work of a poll is a device successor of all nodes that the
/// poll has an edge from; of several, the next one on the stream, else the launched one. O(edges).
[[nodiscard]] std::vector<PollEdge> poll_edges(const Graph& graph);

}  // namespace orrery::graph
