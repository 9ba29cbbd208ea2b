// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/network/sends.h"

#include "orrery/platform/catalogue.h"
#include "orrery/platform/node.h"

namespace orrery::model {

Sends sends_of(const platform::Platform& platform) {
  Sends sends{platform::node_dimensions(platform), {7300, 20000}, {0.79, 0.72}};
  const platform::DeviceEntry* entry = platform::find_device(platform.device.entry);
  if (entry == nullptr) return sends;
  switch (entry->architecture) {
    case platform::Architecture::volta:
    case platform::Architecture::turing:
    case platform::Architecture::ampere:
    case platform::Architecture::ada:
      sends.latency_ns[0] = 12700;
      sends.share[0] = 0.94;
      break;
    default:
      break;
  }
  return sends;
}

}  // namespace orrery::model
