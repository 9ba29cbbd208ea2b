// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a step, and the slack of all spans.
#pragma once

#include <array>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

/// Finds the critical path from the end of the slowest rank (ties: the lowest) back to the start of
/// the step, across ranks. From a span that waited for peers, the path leads to the last member of
/// its collective; from a receive to its send; from any other span to the span whose end released
/// it. Sets run.path, which covers each picosecond from 0 to the end of the slowest rank exactly
/// once, and Span::critical. The path is empty if no span ended. O(path × log).
void find_critical_path(result::Run& run);

/// The simulation rules that affect slack.
struct SlackRules {
  /// ASTRA-sim: collectives, sends and memory accesses run one after another.
  bool one_comm_lane = false;
  bool rendezvous = false;  ///< a message departs only after its receive is posted
};

/// Sets Span::slack: how much later a span could end without delaying the end of the step, if the
/// order of the run is fixed (lanes, queues, last arrivals). `graph_of_timeline`: for each
/// timeline, the graph whose nodes are its spans in the same order; null: only recorded releases
/// count. Exact for spans outside of collectives; a member of a collective may arrive as late as
/// the last one did. Does nothing for a stalled run. O(spans + edges + collectives × members).
void find_slack(result::Run& run, const std::vector<const graph::Graph*>& graph_of_timeline,
                const SlackRules& rules = {});

/// A summary of the critical path: time by cause and by kind of span, and the longest segments.
struct PathSummary {
  std::array<Time, result::kPathCauses> by_cause{};
  std::array<Time, result::kSpanKinds> by_kind{};
  std::uint32_t ranks = 0;             ///< distinct ranks on the path
  std::vector<std::uint32_t> longest;  ///< indices into run.path, longest first
};
[[nodiscard]] PathSummary summarize_path(const result::Run& run, std::size_t limit = 10);

}  // namespace orrery::analysis
