// SPDX-License-Identifier: Apache-2.0
//
// The memory use of ranks over a step, computed without recorded tensors.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// Memory use over the step of the ranks that share a graph, computed without recorded tensors.
struct HeldMemory {
  struct Segment {
    NodeId first = 0, end = 0;  ///< the interval in which nodes [first, end) run
    Bytes bytes{};              ///< peak in this interval
  };
  struct Tensor {
    std::string kind, name;
    Bytes bytes{};
  };
  std::string role;               ///< of the ranks: "stage 3"
  Bytes constant{};               ///< allocated during the entire step
  std::vector<Segment> segments;  ///< in node order
  std::vector<Tensor> at_peak;    ///< largest first
};

}  // namespace orrery::graph
