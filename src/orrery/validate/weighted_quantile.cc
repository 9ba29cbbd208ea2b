// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/weighted_quantile.h"

#include <algorithm>
#include <utility>

namespace orrery::validate {

double quantile(std::vector<WeightedValue> values, double share) {
  std::sort(values.begin(), values.end(),
            [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
  double all = 0;
  for (const WeightedValue& one : values) all += one.weight;
  double below = 0;
  for (const WeightedValue& one : values) {
    below += one.weight;
    if (below >= share * all * (1 - 1e-12)) return one.value;
  }
  return 0;
}

double median(const std::vector<WeightedValue>& values) {
  std::vector<WeightedValue> mirrored = values;
  for (WeightedValue& one : mirrored) one.value = -one.value;
  return (quantile(values, 0.5) - quantile(std::move(mirrored), 0.5)) / 2;
}

}  // namespace orrery::validate
