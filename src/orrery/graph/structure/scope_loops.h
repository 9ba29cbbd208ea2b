// SPDX-License-Identifier: Apache-2.0
//
// Derives loops from the scopes of a rank's work: layers, steps and passes that the recording
// labels.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/structure/loops.h"
#include "orrery/graph/structure/spine.h"

namespace orrery::graph {

struct NamedLoops {
  std::uint32_t layers = 0;  ///< named layers; 0: none
  /// One loop for each pass through all named layers. Up to two layers at the ends can differ; the
  /// loops exclude them. Empty if more layers differ.
  std::vector<Loop> loops;
  std::uint32_t steps = 0;  ///< optimizer phases after a backward phase; without any, distinct step
                            ///< numbers; 0: unknown
  bool has_optimizers = false;
  std::uint32_t forwards = 0;  ///< over all steps: forward phases directly before a backward phase
};

/// O(works).
[[nodiscard]] NamedLoops find_named_loops(const Graph& graph, const Spine& spine);

}  // namespace orrery::graph
