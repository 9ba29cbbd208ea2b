// SPDX-License-Identifier: Apache-2.0
//
// Explains what a number means, how it was computed, and from what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

/// An explanation: a title, paragraphs, and the input numbers (label, text).
struct Explanation {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<std::pair<std::string, std::string>> figures;
};

/// `what` is the name of a metric ("exposed_comm"), a node ("rank 3 node 17", "node 17": at the
/// slowest rank that has it), a collective ("collective 4") or the name of a node. Other text:
/// Errc::usage with the nearest name.
[[nodiscard]] Result<Explanation> explain(const result::Run& run, std::string_view what);

/// Explains a metric without a run: its meaning and formula only.
[[nodiscard]] Result<Explanation> explain_metric(std::string_view what);

/// All metric names, in the order of metrics().
[[nodiscard]] std::vector<std::string_view> metric_names();

}  // namespace orrery::analysis
