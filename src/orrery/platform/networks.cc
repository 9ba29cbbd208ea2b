// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/networks.h"

namespace orrery::platform {

std::vector<std::string_view> network_names() {
  std::vector<std::string_view> names;
  for (const NetworkEntry& one : kNetworks) names.push_back(one.name);
  return names;
}

std::string network_choices() {
  std::string text;
  for (std::size_t i = 0; i < kNetworks.size(); ++i) {
    if (i > 0) text += i + 1 == kNetworks.size() ? " or " : ", ";
    text += std::string(kNetworks[i].name) + " (" + std::string(kNetworks[i].brief) + ")";
  }
  return text;
}

}  // namespace orrery::platform
