// SPDX-License-Identifier: Apache-2.0
//
// The nodes of two runs, side by side. Internal to compare.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/analysis/comparison/compare_runs.h"

namespace orrery::analysis {

struct NodeChanges {
  std::vector<NodeChange> changes;  ///< those that changed, in no particular order
  std::uint64_t matched = 0, only_a = 0, only_b = 0;
};

[[nodiscard]] NodeChanges compare_nodes(const result::Run& a, const result::Run& b);

/// Why it takes longer or shorter, from the parts that changed; `at_a` and `at_b` its spans at the
/// rank that changed most, or null.
[[nodiscard]] std::string why(const NodeChange& change, const result::Run& a, const result::Run& b,
                              const result::Span* at_a, const result::Span* at_b);

}  // namespace orrery::analysis
