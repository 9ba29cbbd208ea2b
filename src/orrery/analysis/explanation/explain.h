// SPDX-License-Identifier: Apache-2.0
//
// What a figure means, how it was computed, and from what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::analysis {

/// An answer: a title, paragraphs, and the figures it was computed from (label, text).
struct Explanation {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<std::pair<std::string, std::string>> figures;
};

/// `what` is a metric's name ("exposed_comm"), a node ("rank 3 node 17", "node 17": at the slowest
/// rank that has it), a collective ("collective 4") or a node's name. Errc::usage with the nearest
/// name otherwise.
[[nodiscard]] Result<Explanation> explain(const result::Run& run, std::string_view what);

/// The same for a metric's name without a run: meaning and formula only.
[[nodiscard]] Result<Explanation> explain_metric(std::string_view what);

/// All metric names, in the order of metrics().
[[nodiscard]] std::vector<std::string_view> metric_names();

}  // namespace orrery::analysis
