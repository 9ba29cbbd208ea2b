// SPDX-License-Identifier: Apache-2.0
//
// Adds periods to the loops of a rank, or removes some.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/structure/loops.h"
#include "orrery/graph/transform/graph_draft.h"

namespace orrery::graph {

/// A loop and the number of periods to add; negative: to remove.
struct LoopChange {
  Loop loop;
  std::int64_t more = 0;
};

/// The graph with these loops of its spine made longer or shorter in the middle. New periods copy
/// an interior one; each copied node has the mean duration over all periods. Dependencies follow
/// their distance: within the same period, on the previous period, on the mirrored period of
/// another loop (gradients of a layer on its activations), or on all periods. Loops must not
/// overlap, and each keeps at least one period. Edges of the middle without a counterpart in the
/// new periods are dropped and counted (edges_dropped). Errc: usage if a loop would become empty;
/// limit_exceeded for more than about 2^24 nodes; also those of GraphBuilder::finish. O(nodes of
/// the result × edges of a node).
[[nodiscard]] Result<Graph> resize_loops(const Graph& graph, const Spine& spine,
                                         const std::vector<LoopChange>& loops, NodeClasses& symbols,
                                         const std::string& where, const DraftTables& tables,
                                         Findings& findings);

}  // namespace orrery::graph
