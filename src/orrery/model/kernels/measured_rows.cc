// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/measured_rows.h"

#include <algorithm>

namespace orrery::model {

std::vector<graph::Kernel> MeasuredRows::kernels_of(const MeasuredKernel& row) const {
  std::vector<graph::Kernel> kernels{row.kernel};
  const auto behind = others_of(row);
  kernels.insert(kernels.end(), behind.begin(), behind.end());
  return kernels;
}

void append(MeasuredRows& into, const MeasuredRows& more) {
  if (into.where.empty()) into.where = more.where;
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : more.devices) {
    const auto found = std::find(into.devices.begin(), into.devices.end(), name);
    numbers.push_back(static_cast<std::uint32_t>(found - into.devices.begin()));
    if (found == into.devices.end()) into.devices.push_back(name);
  }
  const auto before = static_cast<std::uint32_t>(into.others.size());
  into.others.insert(into.others.end(), more.others.begin(), more.others.end());
  into.rows.reserve(into.rows.size() + more.rows.size());
  for (MeasuredKernel row : more.rows) {
    row.device = numbers[row.device];
    row.first_other += before;
    into.rows.push_back(row);
  }
}

}  // namespace orrery::model
