// SPDX-License-Identifier: Apache-2.0
//
// Matches the nodes of two runs. Internal to compare.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/analysis/comparison/compare_runs.h"

namespace orrery::analysis {

struct NodeChanges {
  std::vector<NodeChange> changes;  ///< only nodes that changed, unordered
  std::uint64_t matched = 0, only_a = 0, only_b = 0;
};

[[nodiscard]] NodeChanges compare_nodes(const result::Run& a, const result::Run& b);

/// Why the node lasts longer or shorter, according to the part that changed most. `at_a` and
/// `at_b`: its spans at the rank with the largest change, or null.
[[nodiscard]] std::string why(const NodeChange& change, const result::Run& a, const result::Run& b,
                              const result::Span* at_a, const result::Span* at_b);

}  // namespace orrery::analysis
