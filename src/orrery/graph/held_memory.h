// SPDX-License-Identifier: Apache-2.0
//
// What ranks hold in memory, where that was worked out without tensors.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// What ranks of one graph hold over the step, accounted without tensors.
struct HeldMemory {
  struct Stretch {
    NodeId first = 0, end = 0;  ///< while the nodes from `first` up to `end` compute
    Bytes bytes{};              ///< the most that is held meanwhile
  };
  struct Item {
    std::string kind, name;
    Bytes bytes{};
  };
  std::string role;                ///< what the ranks are: "stage 3"
  Bytes from_start{};              ///< held all the time
  std::vector<Stretch> stretches;  ///< in the order of nodes
  std::vector<Item> at_peak;       ///< largest first
};

}  // namespace orrery::graph
