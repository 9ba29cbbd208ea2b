// SPDX-License-Identifier: Apache-2.0
//
// What scopes say of a rank's work: layers, steps and passes that somebody named.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/structure/loops.h"
#include "orrery/graph/structure/spine.h"

namespace orrery::graph {

struct NamedLoops {
  std::uint32_t layers = 0;  ///< that are named; 0: none
  /// One for each pass through all of them, where these are alike (but for one or two at the ends,
  /// which are left out). Empty: where that is not so.
  std::vector<Loop> loops;
  std::uint32_t steps =
      0;  ///< optimizers after gradients; without any, numbers of steps; 0: unsaid
  bool has_optimizers = false;
  std::uint32_t forwards = 0;  ///< of all steps: passes forward with one backward behind them
};

/// O(works).
[[nodiscard]] NamedLoops find_named_loops(const Graph& graph, const Spine& spine);

}  // namespace orrery::graph
