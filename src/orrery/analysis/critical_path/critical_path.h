// SPDX-License-Identifier: Apache-2.0
//
// What the length of the step hangs on, and how much room everything else has.
#pragma once

#include <array>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

/// Walks back from the end of the slowest rank (ties: the lowest) to the beginning, across ranks:
/// a span that waited for peers leads to the last member of its collective, a receive to its send,
/// any other span to the one whose end let it start. Sets run.path (every picosecond of 0 … end of
/// the slowest rank is on it, exactly once) and Span::critical. Empty for a run in which nothing
/// ended. O(path × log).
void find_critical_path(result::Run& run);

/// What slack needs to know about the rules of the simulation.
struct SlackRules {
  bool one_comm_lane = false;  ///< ASTRA-sim: collectives, sends and memory one after another
  bool rendezvous = false;     ///< messages leave when their receive is announced
};

/// Sets Span::slack: how much later a span could end, everything else in the order that was seen
/// (lanes, queues, who came last), before the step ends later. `graph_of_timeline`: the graph whose
/// nodes are each timeline's spans, in the same order (null: only what was seen counts). Exact for
/// what is not inside a collective; within one, members may come as late as the last one did. Does
/// nothing for a stalled run. O(spans + edges + collectives × members).
void find_slack(result::Run& run, const std::vector<const graph::Graph*>& graph_of_timeline,
                const SlackRules& rules = {});

/// The path in figures: picoseconds by cause and by kind of span; the longest segments.
struct PathSummary {
  std::array<Time, result::kPathCauses> by_cause{};
  std::array<Time, result::kSpanKinds> by_kind{};
  std::uint32_t ranks = 0;             ///< distinct ones it visits
  std::vector<std::uint32_t> longest;  ///< indices into run.path, longest first
};
[[nodiscard]] PathSummary summarize_path(const result::Run& run, std::size_t limit = 10);

}  // namespace orrery::analysis
