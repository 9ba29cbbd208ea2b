// SPDX-License-Identifier: Apache-2.0
//
// Every metric of runs and searches, declared once: metrics(), the figures of search spaces,
// `orrery explain`, the tooltips of pages and docs/reference/metrics.md come from this table.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery::analysis {

struct MetricInfo {
  std::string_view name;  ///< stable, snake_case
  std::string_view title;
  /// "s", "1" (a share), "B", "B/s", "1/s", "FLOP", "FLOP/s", "ranks", "W", "J", "1/J", "currency"
  std::string_view unit;
  std::string_view meaning;  ///< one sentence
  std::string_view formula;  ///< how it is computed, and from what
  std::string_view source;   ///< where the definition comes from
  bool more_is_better = false;
  bool of_searches = false;  ///< only points of a search have it
  /// Neither more nor less is better by itself, such as the share of a step that is a bubble.
  bool is_descriptive = false;
};

/// In the order of metrics().
[[nodiscard]] std::span<const MetricInfo> metric_table();

/// The row of this name, or null.
[[nodiscard]] const MetricInfo* find_metric(std::string_view name);

/// Its meaning in one sentence, "" for a name that is not in the table.
[[nodiscard]] std::string_view meaning_of(std::string_view name);

/// docs/reference/metrics.md.
[[nodiscard]] std::string metrics_markdown();

}  // namespace orrery::analysis
