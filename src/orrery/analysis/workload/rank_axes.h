// SPDX-License-Identifier: Apache-2.0
//
// Infers the parallelism axes of a job from traces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/analysis/workload/parallelism.h"
#include "orrery/graph/workload.h"

namespace orrery::analysis {

/// The command-line name of the axis: "tp", "cp", "ep", "fsdp", "dp", "pp", "group".
[[nodiscard]] std::string_view key(RankAxisKind kind);

/// Disjoint lines of equal length that together contain all ranks.
struct RankAxis {
  RankAxisKind kind = RankAxisKind::unsaid;
  std::string key;  ///< key of the kind; further axes of the same kind: "dp2", "dp3"
  /// Ordered by lowest rank; ranks in ring order, those of a pipeline by number.
  std::vector<std::vector<std::uint32_t>> lines;

  [[nodiscard]] std::uint32_t size() const {
    return lines.empty() ? 1 : static_cast<std::uint32_t>(lines.front().size());
  }
};

/// The parallelism axes inferred from process groups and messages, those with the shortest lines
/// first. A group that contains complete lines of other axes (data and context together) defines an
/// axis by its remaining extent; a kind of group that not every rank has (first and last stage)
/// defines none. O(nodes of all ranks + groups × members log members).
[[nodiscard]] std::vector<RankAxis> rank_axes(const graph::Workload& workload);

}  // namespace orrery::analysis
