// SPDX-License-Identifier: Apache-2.0
//
// The parts of explain(), one per kind of question.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/analysis/explanation/explain.h"
#include "orrery/analysis/metrics/metric_table.h"

namespace orrery::analysis {

/// Adds an input number: label and text.
inline void figure(Explanation& made, std::string_view label, std::string text) {
  made.figures.emplace_back(label, std::move(text));
}

/// Meaning, formula and source of a metric, without a run.
[[nodiscard]] Explanation describe_metric(const MetricInfo& info);
/// The same with the numbers of the run.
[[nodiscard]] Explanation explain_metric_of(const result::Run& run, const MetricInfo& info);
/// Explains the span at this index in the rank's timeline.
[[nodiscard]] Explanation explain_node(const result::Run& run, std::uint32_t rank,
                                       std::uint32_t span);
/// Explains all nodes with this name.
[[nodiscard]] Explanation explain_name(const result::Run& run, std::uint32_t name);
[[nodiscard]] Explanation explain_collective(const result::Run& run, std::uint32_t collective);

}  // namespace orrery::analysis
