// SPDX-License-Identifier: Apache-2.0
//
// Two runs side by side: what got slower, and why.
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

/// A metric in both runs; where only one has it, the other's is empty, name and all. `change` =
/// b / a - 1 (0 when both are 0; infinite when only a is, or only b has it; -infinite when only a
/// has it).
struct MetricChange {
  Metric a, b;
  double change = 0;

  /// The one that there is.
  [[nodiscard]] const Metric& any() const { return a.name.empty() ? b : a; }
  [[nodiscard]] bool in_both() const { return !a.name.empty() && !b.name.empty(); }
};

/// Nodes of the same identity: (rank, node id, kind, name) if both runs have as many ranks, summed
/// over ranks; else (kind, name), summed over nodes, mean over ranks.
struct NodeChange {
  std::uint32_t rank = result::kNone;  ///< the one with the largest change; kNone: mean over ranks
  std::uint64_t node = 0;
  std::string name;
  result::SpanKind kind = result::SpanKind::metadata;
  Time a{}, b{};  ///< length
  /// Of b - a: which part changed.
  Time wait{}, queue{}, latency{}, rest{};
  bool critical = false;  ///< on the critical path of b
  std::string why;        ///< one sentence: "its transfer takes 1.2 ms longer: bandwidth"
};

struct Comparison {
  std::vector<MetricChange> metrics;                  ///< in the order of metric_table()
  std::vector<NodeChange> slower, faster;             ///< largest change first, at most `most` each
  std::uint64_t matched = 0, only_a = 0, only_b = 0;  ///< nodes, over all ranks
  /// Manifest entries that differ: the same keys in both, "" where a run has none.
  std::vector<std::pair<std::string, std::string>> facts_a, facts_b;
  std::array<Time, result::kPathCauses> path_a{}, path_b{};  ///< critical path by cause
  std::optional<DifferenceInterval> band;                    ///< of b's step less a's
};

/// `a` is the base. O(spans × log).
[[nodiscard]] Comparison compare(const result::Run& a, const result::Run& b,
                                 std::size_t limit = 10);

/// Whether b's step is more than `threshold` (0.05 = 5 %) longer than a's, or only b stalled.
[[nodiscard]] bool regressed(const result::Run& a, const result::Run& b, double threshold);

}  // namespace orrery::analysis
