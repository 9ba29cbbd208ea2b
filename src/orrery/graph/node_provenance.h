// SPDX-License-Identifier: Apache-2.0
//
// What durations and lags of a changed workload stand on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "orrery/core/time_provenance.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// What one duration stands on, and how far off it may be.
struct NodeProvenance {
  TimeProvenance provenance = TimeProvenance::recorded;
  bool known = true;  ///< how far off it is
  float lower = 0;    ///< 10 % of true times are less than it and this share of it …
  float upper = 0;    ///< … and 10 % more than it and this one

  friend bool operator==(const NodeProvenance&, const NodeProvenance&) = default;
};

/// Of what is not as it was recorded; of graphs and lags that are not in it, all is.
struct WorkloadProvenance {
  /// By node, of the workload's own graphs.
  std::map<const Graph*, std::shared_ptr<const std::vector<NodeProvenance>>> nodes;
  std::uint8_t lags = 0;  ///< LagOf that are scaled, a bit each

  [[nodiscard]] NodeProvenance of(const Graph& graph, NodeId node) const {
    const auto found = nodes.find(&graph);
    return found == nodes.end() ? NodeProvenance{} : (*found->second)[node];
  }
};

}  // namespace orrery::graph
