// SPDX-License-Identifier: Apache-2.0
//
// The range of each dimension's share of the total, and a split within these ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "addons/split_bandwidth/bandwidth_split.h"
#include "orrery/core/error.h"

namespace orrery::split_bandwidth {

/// Bounds as shares of the total, tightened by the orders: if a dimension must have at least the
/// share of another, its lower bound is at least the other's.
struct ShareRange {
  std::vector<double> lower, upper;
  /// Only of dimensions that are not fixed.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  /// Sums to 1; strictly within the bounds of dimensions that are not fixed.
  std::vector<double> start;
  bool is_unique = false;  ///< it is the only feasible split

  [[nodiscard]] bool is_fixed(std::size_t dim) const { return lower[dim] == upper[dim]; }
};

/// Errc: config_range for invalid bounds and missing dimensions; config_conflict if no split
/// satisfies them, or if orders are cyclic. O(dims² + dims × orders).
[[nodiscard]] Result<ShareRange> split_range(const SplitProblem& problem, std::size_t dims);

}  // namespace orrery::split_bandwidth
