// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/weighted.h"

#include <algorithm>
#include <utility>

namespace orrery::validate {

double quantile(std::vector<Weighted> values, double share) {
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double all = 0;
  for (const Weighted& one : values) all += one.weight;
  double below = 0;
  for (const Weighted& one : values) {
    below += one.weight;
    if (below >= share * all * (1 - 1e-12)) return one.value;
  }
  return 0;
}

double median(const std::vector<Weighted>& values) {
  std::vector<Weighted> mirrored = values;
  for (Weighted& one : mirrored) one.value = -one.value;
  return (quantile(values, 0.5) - quantile(std::move(mirrored), 0.5)) / 2;
}

}  // namespace orrery::validate
