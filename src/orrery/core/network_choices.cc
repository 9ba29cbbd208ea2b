// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/network_choices.h"

namespace orrery {

std::vector<std::string_view> network_names() {
  std::vector<std::string_view> names;
  for (const NetworkModelEntry& one : kNetworkModels) names.push_back(one.name);
  return names;
}

std::string network_choices() {
  std::string text;
  for (std::size_t i = 0; i < kNetworkModels.size(); ++i) {
    if (i > 0) text += i + 1 == kNetworkModels.size() ? " or " : ", ";
    text += std::string(kNetworkModels[i].name) + " (" + std::string(kNetworkModels[i].brief) + ")";
  }
  return text;
}

}  // namespace orrery
