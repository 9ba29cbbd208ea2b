// SPDX-License-Identifier: Apache-2.0
//
// Compares the work of ranks in two workloads.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "orrery/graph/workload.h"

namespace orrery::study {

/// The work of a rank as hashes, without names and times. Equal hashes mean equal work.
struct WorkSignature {
  /// A hash per node, sorted: kind, kernel or work, message size, and group size.
  std::vector<std::uint64_t> sorted;
  /// A hash per node, in order: the same, with the ranks it communicates with and its dependencies.
  std::vector<std::uint64_t> placed;
};
/// O(nodes log nodes + edges).
[[nodiscard]] WorkSignature work_signature(const graph::Workload& workload, std::uint32_t rank);

/// Differences between two ranks' work; none: nodes, edges and groups are equal.
struct WorkDifference {
  std::uint64_t other = 0;   ///< nodes that only one of the two has
  std::uint64_t placed = 0;  ///< nodes at another position, or with other dependencies or groups

  [[nodiscard]] bool none() const { return other == 0 && placed == 0; }
  friend auto operator<=>(const WorkDifference&, const WorkDifference&) = default;
};
/// O(nodes).
[[nodiscard]] WorkDifference difference(const WorkSignature& a, const WorkSignature& b);

/// The first rank of each set of ranks with equal work, regardless of the numbers of the ranks and
/// of their peers. O(nodes of all ranks).
[[nodiscard]] std::vector<std::uint32_t> distinct_ranks(const graph::Workload& workload);

}  // namespace orrery::study
