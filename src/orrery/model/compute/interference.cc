// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/interference.h"

#include <algorithm>

#include "orrery/platform/catalogue.h"

namespace orrery::model {
namespace {

double without(double all, double taken) {
  if (!(all > 0) || !(taken > 0)) return 1;
  return all / (all - std::min(taken, all / 2));
}

}  // namespace

Interference::Interference(const platform::Platform& platform)
    : stated_(platform.device.in_step.beside ? &*platform.device.in_step.beside : nullptr),
      memory_(platform.device.memory.count()) {
  const platform::DeviceEntry* entry = platform::find_device(platform.device.entry);
  if (entry != nullptr) sms_ = static_cast<double>(entry->sms);
}

double Interference::factor(const TakenByCollectives& taken, bool product) const {
  if (taken.count <= 0) return 1;
  if (stated_ != nullptr) return product ? stated_->products : stated_->others;
  return product ? without(sms_, taken.sms)
                 : without(memory_, static_cast<double>(taken.memory_rate));
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
