// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace orrery::model {

/// The value below which `share` (0 to 1) of `values` lie; half: the median, of two the larger.
/// Some of `values` come into another order. There has to be one at least.
[[nodiscard]] inline double quantile_of(std::vector<double>& values, double share) {
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace orrery::model
