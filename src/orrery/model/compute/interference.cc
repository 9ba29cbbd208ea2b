// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/interference.h"

#include <algorithm>

#include "orrery/model/kernels/roofline_model.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::model {
namespace {

double slowdown(double all, double use) {
  if (!(all > 0) || !(use > 0)) return 1;
  return all / (all - std::min(use, all / 2));
}

}  // namespace

Interference::Interference(const platform::Platform& platform)
    : overlap_slowdown_(platform.device.in_step.overlap ? &*platform.device.in_step.overlap
                                                        : nullptr),
      memory_(platform.device.memory.count()) {
  const platform::DeviceEntry* entry = platform::find_device(platform.device.entry);
  if (entry != nullptr) sms_ = static_cast<double>(entry->sms);
}

double Interference::factor(const ConcurrentUse& use, bool product) const {
  const bool stated = overlap_slowdown_ != nullptr && use.collectives > 0;
  if (product) {
    if (stated) return overlap_slowdown_->products;
    return use.collectives > 0 ? slowdown(sms_, use.sms) : 1;
  }
  const auto copied = static_cast<double>(use.copy_rate);
  if (stated) return overlap_slowdown_->others * slowdown(memory_, copied);
  return slowdown(memory_, copied + static_cast<double>(use.memory_rate));
}

bool Interference::is_product(graph::Operation operation) {
  return operation == graph::Operation::unsaid || is_matrix_product(operation);
}

}  // namespace orrery::model
