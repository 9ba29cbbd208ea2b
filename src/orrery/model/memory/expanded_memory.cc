// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/memory/expanded_memory.h"

#include <algorithm>

namespace orrery::model {

Bandwidth expanded_bandwidth(const platform::Device& device, double beyond) {
  if (!device.expansion || !(beyond > 0)) return device.memory;
  const double own = (1 - beyond) / device.memory.count();
  const double beside = beyond / device.expansion->bandwidth.count();
  const bool at_once = device.expansion->access == platform::MemoryAccess::at_once;
  return Bandwidth(1 / (at_once ? std::max(own, beside) : own + beside));
}

}  // namespace orrery::model
