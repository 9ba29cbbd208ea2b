// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/check.h"
#include "orrery/model/kernels/systolic/systolic_files.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Findings findings;
  const auto layers = model::parse_systolic_layers({reinterpret_cast<const char*>(data), size},
                                                   "net.csv", findings);
  if (!layers) {
    ORRERY_CHECK(!layers.error().where.empty() && !layers.error().what.empty());
    return 0;
  }
  model::SystolicArray array;
  array.rows = array.columns = 32;
  array.ifmap_bytes = array.filter_bytes = array.ofmap_bytes = 64 << 10;
  array.bandwidth = 10;
  for (const model::SystolicLayer& layer : *layers) {
    const auto cost = model::systolic_cost(array, layer.product);
    ORRERY_CHECK(!cost || (cost->utilization > 0 && cost->utilization <= 1));
  }
  return 0;
}
