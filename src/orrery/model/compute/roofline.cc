// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/roofline.h"

#include <algorithm>
#include <cmath>

namespace orrery::model {

std::optional<Time> roofline_time(graph::Work work, const platform::Device& device,
                                  platform::Rules rules) {
  const auto ops = static_cast<double>(work.num_ops);
  const auto bytes = static_cast<double>(work.tensor_size.count());
  double nanoseconds = 0;
  if (rules == platform::Rules::astra) {
    if (work.tensor_size.count() == 0 || work.num_ops == 0) return Time{};
    const double intensity = ops / bytes;
    const double rate = std::min(device.memory.count() * intensity, device.peak.count());
    nanoseconds = std::trunc(ops / rate * 1e9);
  } else {
    const double compute = work.num_ops == 0 ? 0 : ops / device.peak.count();
    const double memory = work.tensor_size.count() == 0 ? 0 : bytes / device.memory.count();
    nanoseconds = std::max(compute, memory) * 1e9;
  }
  if (!(nanoseconds >= 0 && nanoseconds < 4e15)) return std::nullopt;
  return Time(static_cast<std::int64_t>(std::ceil(nanoseconds * 1e3)));
}

}  // namespace orrery::model
