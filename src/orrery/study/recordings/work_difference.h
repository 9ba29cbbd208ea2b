// SPDX-License-Identifier: Apache-2.0
//
// Whether two workloads have ranks do the same.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/graph/workload.h"

namespace orrery::study {

/// What a rank does, as numbers; equal ones mean the same. Names and times are left out.
struct WorkSignature {
  /// What nodes are, sorted: kind, kernel or work, what is sent and among how many.
  std::vector<std::uint64_t> sorted;
  /// By node: the same, and which ranks these are, and what it waits for.
  std::vector<std::uint64_t> placed;
};
/// O(nodes log nodes + edges).
[[nodiscard]] WorkSignature work_signature(const graph::Workload& workload, std::uint32_t rank);

/// How far one is from the other; none: nodes, edges and groups are the same.
struct WorkDifference {
  std::uint64_t other = 0;   ///< nodes that one has and the other has not
  std::uint64_t placed = 0;  ///< nodes that stand elsewhere, or wait for others

  [[nodiscard]] bool none() const { return other == 0 && placed == 0; }
  friend auto operator<=>(const WorkDifference&, const WorkDifference&) = default;
};
/// O(nodes).
[[nodiscard]] WorkDifference difference(const WorkSignature& a, const WorkSignature& b);

/// The first rank of each that does what no rank before it does, but for its number and those of
/// whom it communicates with. O(nodes of all ranks).
[[nodiscard]] std::vector<std::uint32_t> distinct_ranks(const graph::Workload& workload);

}  // namespace orrery::study
