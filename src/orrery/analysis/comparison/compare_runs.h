// SPDX-License-Identifier: Apache-2.0
//
// Compares two runs: what became slower, and why.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

/// A metric in both runs. If only one run has it, the other Metric is empty, including its name.
/// `change` = b / a - 1: 0 if both are 0, infinite if only a is 0 or only b has the metric,
/// -infinite if only a has it.
struct MetricChange {
  Metric a, b;
  double change = 0;

  /// The metric of a, or that of b if a has none.
  [[nodiscard]] const Metric& any() const { return a.name.empty() ? b : a; }
  [[nodiscard]] bool in_both() const { return !a.name.empty() && !b.name.empty(); }
};

/// The same node in both runs. If both have the same number of ranks, nodes match by (rank, node
/// id, kind, name) and times are means over the ranks where the node changed. Otherwise they match
/// by (kind, name), and times are sums over nodes, averaged over all ranks.
struct NodeChange {
  std::uint32_t rank = result::kNone;  ///< the rank with the largest change; kNone: mean over ranks
  std::uint64_t node = 0;
  std::uint32_t ranks = 0;  ///< where it changed; 0: mean over all ranks
  std::string name;
  result::SpanKind kind = result::SpanKind::metadata;
  Time a{}, b{};  ///< duration
  /// The parts of b - a.
  Time wait{}, queue{}, latency{}, rest{};
  bool critical = false;  ///< on the critical path of b
  std::string why;        ///< one sentence: "its transfer takes 1.2 ms longer: bandwidth"
};

struct Comparison {
  std::vector<MetricChange> metrics;       ///< in the order of metric_table()
  std::vector<NodeChange> slower, faster;  ///< largest change first, at most `limit` each
  std::uint64_t matched = 0, only_a = 0, only_b = 0;  ///< nodes, over all ranks
  /// Manifest entries that differ: the same keys in both, "" if a run has no such entry.
  std::vector<std::pair<std::string, std::string>> facts_a, facts_b;
  std::array<Time, result::kPathCauses> path_a{}, path_b{};  ///< critical path by cause
  StepDifference difference;                                 ///< b's step minus a's
};

/// `a` is the baseline. O(spans × log).
[[nodiscard]] Comparison compare(const result::Run& a, const result::Run& b,
                                 std::size_t limit = 10);

/// Whether b's step is longer than a's by more than `threshold` (0.05 = 5 %), or only b stalled.
[[nodiscard]] bool regressed(const result::Run& a, const result::Run& b, double threshold);

}  // namespace orrery::analysis
