// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/check.h"
#include "orrery/model/kernels/systolic/systolic_files.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Findings findings;
  const auto config = model::parse_systolic_config({reinterpret_cast<const char*>(data), size},
                                                   "scale.cfg", findings);
  if (!config) {
    ORRERY_CHECK(!config.error().where.empty() && !config.error().what.empty());
    return 0;
  }
  const auto cost = model::systolic_cost(config->array, {100, 70, 300});
  ORRERY_CHECK(!cost || (cost->cycles > 0 && cost->total >= cost->cycles));
  return 0;
}
