// SPDX-License-Identifier: Apache-2.0
//
// Changes the order of a rank's work, or fuses kernels.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/transform/graph_draft.h"

namespace orrery::graph {

/// All of these functions return null if there is nothing to change.

/// Forbids overlap of a device's communication with its other work. A communication waits for the
/// work before it in launch order (launch_order), and the work after it waits for the
/// communication. Adds edges and removes none. Ranks with contradictory orders then deadlock. Errc:
/// as GraphBuilder::finish.
[[nodiscard]] Result<GraphRef> without_overlap(const Graph& graph, const std::string& where,
                                               const DraftTables& tables);

/// Drops edges of kind sync, so that the host never waits for device work. The result shows the
/// cost of waiting, not that a program can do without it: the values that the host reads would not
/// exist yet. Errc: as GraphBuilder::finish.
[[nodiscard]] Result<GraphRef> without_syncs(const Graph& graph, const std::string& where,
                                             const DraftTables& tables);

/// Fuses chains of element-wise kernels. A chain consists of consecutive kernels on one stream.
/// Each kernel waits only for the previous one among the device's work, and nothing else waits for
/// the previous one. The fused kernel lasts as long as the longest kernel: it reads what the first
/// reads and writes what the last writes, about the bytes of one kernel. The launch calls of the
/// other kernels (including the thread's work before each call) and the lags between kernels
/// disappear. A kernel is element-wise by its operation (additions, activations, dropout, rotary,
/// casts); if that is unknown, by "elementwise" in its name.
[[nodiscard]] GraphRef fuse_elementwise(const Graph& graph);

}  // namespace orrery::graph
