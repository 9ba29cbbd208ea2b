// SPDX-License-Identifier: Apache-2.0
//
// Changes durations and lags, but not nodes and their order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// `time` × `factor` (not negative), rounded to the picosecond, at most kTimeMax.
[[nodiscard]] Time scale_time(Time time, double factor);

/// The recorded durations of all nodes.
[[nodiscard]] std::vector<Time> durations_of(const Graph& graph);

/// Shortest duration of a changed node: a duration of 0 means that the trace has none.
inline constexpr Time kMinimumDuration{1};

/// `graph` with these durations, by node. Where a thread reads what a work writes before it ends
/// (poll_edges.h), the time until then changes like the duration of the work.
[[nodiscard]] GraphRef with_durations(const Graph& graph, const std::vector<Time>& durations);

/// Multiplies the durations of the selected nodes by `factor`, with kMinimumDuration as minimum.
/// Null: no selected node has a duration.
[[nodiscard]] GraphRef scale_durations(const Graph& graph, const NodeSelection& selection,
                                       double factor);

/// Multiplies lags of this kind by `factor`; for LagKind::waits, also the durations of wait nodes,
/// except late starts (late_start.h), whose cause is before the recording.
/// Lags before a work whose value a thread reads also change for that thread.
/// Null: there are none.
[[nodiscard]] GraphRef scale_lags(const Graph& graph, LagKind kind, double factor);

/// Removes graphs that no rank uses. The others are then in order of first use.
void drop_unused_graphs(Workload& workload);

/// The workload with each graph replaced by the result of `change`; null: the graph is unchanged.
/// `change` is called once per distinct graph. Ranks that shared a graph share the new one.
[[nodiscard]] Workload with_graphs(const Workload& workload,
                                   const std::function<GraphRef(const Graph&)>& change);
/// The same for these ranks only.
[[nodiscard]] Workload with_graphs_of(const Workload& workload,
                                      const std::vector<std::uint32_t>& ranks,
                                      const std::function<GraphRef(const Graph&)>& change);

}  // namespace orrery::graph
