// SPDX-License-Identifier: Apache-2.0
//
// Between what the dimensions' shares of a total may be, and a split that is within.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "addons/split_bandwidth/bandwidth_split.h"
#include "orrery/core/error.h"

namespace orrery::split_bandwidth {

/// In shares of the total, orders followed: who must have no less than another has at least what
/// that has at least.
struct ShareRange {
  std::vector<double> lower, upper;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  ///< of dimensions that are not fixed
  std::vector<double> start;  ///< adds up to 1; with room to every bound but of what is fixed
  bool only = false;          ///< it is the only one

  [[nodiscard]] bool is_fixed(std::size_t dim) const { return lower[dim] == upper[dim]; }
};

/// Errc: config_range for bounds that are none and dimensions that are not there; config_conflict
/// where no split keeps them, or orders go round. O(dims² + dims × orders).
[[nodiscard]] Result<ShareRange> split_range(const SplitProblem& problem, std::size_t dims);

}  // namespace orrery::split_bandwidth
