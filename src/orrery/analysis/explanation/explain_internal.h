// SPDX-License-Identifier: Apache-2.0
//
// The parts of explain, one per kind of question.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/analysis/explanation/explain.h"
#include "orrery/analysis/metrics/metric_table.h"

namespace orrery::analysis {

/// A figure: label and text.
inline void figure(Explanation& made, std::string_view label, std::string text) {
  made.figures.emplace_back(label, std::move(text));
}

/// Meaning, formula, source; without a run.
[[nodiscard]] Explanation describe_metric(const MetricInfo& info);
/// The same with the run's figures.
[[nodiscard]] Explanation explain_metric_of(const result::Run& run, const MetricInfo& info);
/// The span with this number in the rank's timeline.
[[nodiscard]] Explanation explain_node(const result::Run& run, std::uint32_t rank,
                                       std::uint32_t span);
/// All nodes of this name.
[[nodiscard]] Explanation explain_name(const result::Run& run, std::uint32_t name);
[[nodiscard]] Explanation explain_collective(const result::Run& run, std::uint32_t collective);

/// The rank's span of this node, or result::kNone. O(log spans).
[[nodiscard]] std::uint32_t find_span(const result::Run& run, std::uint32_t rank,
                                      std::uint64_t node);
/// The rank that finishes last of those for which `has(timeline)`; ties: the lowest; kNone: none.
template <class Has>
[[nodiscard]] std::uint32_t slowest_rank(const result::Run& run, const Has& has) {
  std::uint32_t slowest = result::kNone;
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    const auto& finish = run.ranks[r].finish;
    // A rank that never finished is slower than any that did.
    const Time end = finish.value_or(kTimeMax);
    if (slowest != result::kNone && end <= run.ranks[slowest].finish.value_or(kTimeMax)) continue;
    if (has(run.ranks[r].timeline)) slowest = r;
  }
  return slowest;
}

}  // namespace orrery::analysis
