// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/models/network_help.h"

namespace orrery {

std::vector<std::string_view> network_names() {
  std::vector<std::string_view> names;
  for (const NetworkModelEntry& one : kNetworkModels) names.push_back(one.name);
  return names;
}

}  // namespace orrery
