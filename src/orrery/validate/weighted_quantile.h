// SPDX-License-Identifier: Apache-2.0
//
// Quantiles of what does not weigh the same.
#pragma once

#include <vector>

namespace orrery::validate {

struct WeightedValue {
  double value = 0, weight = 1;
};

/// The least value that has at least such a share of the weight at or below it. O(n log n).
[[nodiscard]] double quantile(std::vector<WeightedValue> values, double share);
/// Half of it from below and half from above, as medians of an even number are meant.
[[nodiscard]] double median(const std::vector<WeightedValue>& values);

}  // namespace orrery::validate
