// SPDX-License-Identifier: Apache-2.0
//
// More of what a rank repeats, or less.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/structure/loops.h"
#include "orrery/graph/transform/graph_draft.h"

namespace orrery::graph {

/// A loop, and how many more periods it is to have (fewer: below zero).
struct Resize {
  Loop loop;
  std::int64_t more = 0;
};

/// The graph with these loops of its spine made longer or shorter in the middle. New periods are
/// those of an interior one again, every node with the mean duration that it has over all
/// periods; what waits for what is told by distance: for the same period, for the one before, for
/// its mirror image in another loop (gradients of a layer for its activations), for all of them.
/// Loops must not overlap, and each keeps a period at least. An edge of the middle whose like
/// cannot be told is left out and counted (edges_not_told). Errc: usage where a loop would become
/// empty; limit_exceeded for more than some 2^24 nodes; as GraphBuilder::finish. O(nodes of the
/// result × edges of a node).
[[nodiscard]] Result<Graph> resized(const Graph& graph, const Spine& spine,
                                    const std::vector<Resize>& loops, NodeClasses& symbols,
                                    const std::string& where, const DraftTables& tables,
                                    Findings& findings);

}  // namespace orrery::graph
