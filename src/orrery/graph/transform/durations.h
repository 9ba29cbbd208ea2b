// SPDX-License-Identifier: Apache-2.0
//
// The same nodes in the same order, with other times.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// A time, changed by a factor that is not negative: rounded to the picosecond, at most kTimeMax.
[[nodiscard]] Time times(Time time, double factor);

/// The recorded durations of all nodes.
[[nodiscard]] std::vector<Time> durations_of(const Graph& graph);

/// What a node takes that is to take none: a node without a duration is one that was not measured.
inline constexpr Time kMinimumDuration{1};

/// The selected nodes take `factor` times what they took, and kMinimumDuration at least. Null:
/// there are none that take time.
[[nodiscard]] GraphRef scaled(const Graph& graph, const Selection& selection, double factor);

/// Likewise of lags, and of nodes that stand for waiting.
[[nodiscard]] GraphRef lags_scaled(const Graph& graph, LagKind of, double factor);

/// Leaves the graphs that some rank uses, in order of their first use.
void drop_unused_graphs(Workload& workload);

/// A workload with other graphs, each made once of its own; where `change` has none, of the same.
/// Ranks that shared a graph share its successor.
[[nodiscard]] Workload with_graphs(const Workload& workload,
                                   const std::function<GraphRef(const Graph&)>& change);
/// … of these ranks only.
[[nodiscard]] Workload with_graphs_of(const Workload& workload,
                                      const std::vector<std::uint32_t>& ranks,
                                      const std::function<GraphRef(const Graph&)>& change);

}  // namespace orrery::graph
