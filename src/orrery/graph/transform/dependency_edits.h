// SPDX-License-Identifier: Apache-2.0
//
// The same work in another order, or in fewer pieces.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/transform/graph_draft.h"

namespace orrery::graph {

/// Of all of these: null where there is nothing to change.

/// No communication of a device beside its other work: what stands on both sides of one in the
/// order in which it was launched (launch_order) waits, or is waited for. Adds edges and removes
/// none. Ranks whose orders contradict each other then wait for each other for ever.
/// Errc: as GraphBuilder::finish.
[[nodiscard]] Result<GraphRef> without_overlap(const Graph& graph, const std::string& where,
                                               const DraftTables& tables);

/// The host waits for no work of a device any more: edges of kind sync are dropped. What it read
/// from there would not be there yet, so that it says what waiting is worth, not that one may do
/// without. Errc: likewise.
[[nodiscard]] Result<GraphRef> without_syncs(const Graph& graph, const std::string& where,
                                             const DraftTables& tables);

/// Chains of element-wise kernels as one kernel each. A chain is of kernels one after another on
/// one stream, each of which waits for no other work of the device than the one before, for
/// which nothing else waits. It takes what its longest kernel takes: it reads what the first reads
/// and writes what the last writes, at about the bytes of one of them. What launched the others
/// (with what its thread did before) and what passed between them goes with them. Kernels are
/// element-wise whose operation is (additions, activations, dropout, rotary, casts), else whose
/// name holds "elementwise".
[[nodiscard]] GraphRef fused(const Graph& graph);

}  // namespace orrery::graph
