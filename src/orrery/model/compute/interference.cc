// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/interference.h"

#include <algorithm>

#include "orrery/platform/catalogue/catalogue.h"

namespace orrery::model {
namespace {

double without(double all, double taken) {
  if (!(all > 0) || !(taken > 0)) return 1;
  return all / (all - std::min(taken, all / 2));
}

}  // namespace

Interference::Interference(const platform::Platform& platform)
    : stated_(platform.device.in_step.overlap ? &*platform.device.in_step.overlap : nullptr),
      memory_(platform.device.memory.count()) {
  const platform::DeviceEntry* entry = platform::find_device(platform.device.entry);
  if (entry != nullptr) sms_ = static_cast<double>(entry->sms);
}

double Interference::factor(const ConcurrentUse& taken, bool product) const {
  const bool stated = stated_ != nullptr && taken.collectives > 0;
  if (product) {
    if (stated) return stated_->products;
    return taken.collectives > 0 ? without(sms_, taken.sms) : 1;
  }
  const auto copied = static_cast<double>(taken.copy_rate);
  if (stated) return stated_->others * without(memory_, copied);
  return without(memory_, copied + static_cast<double>(taken.memory_rate));
}

bool Interference::is_product(graph::Operation operation) {
  switch (operation) {
    case graph::Operation::gemm:
    case graph::Operation::batched_gemm:
    case graph::Operation::grouped_gemm:
    case graph::Operation::attention:
    case graph::Operation::convolution:
    case graph::Operation::interaction:
    case graph::Operation::unsaid:
      return true;
    default:
      return false;
  }
}

}  // namespace orrery::model
