// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/pcie_default.h"

#include <algorithm>

namespace orrery::platform {
namespace {

constexpr std::int64_t kSocketDevices = 4;
constexpr double kThroughHost = 0.356;  // share of the link
constexpr Bandwidth kAcrossSockets(1.77e9);

}  // namespace

bool is_unknown_pcie(const LinkEntry& link, const DeviceEntry* device) {
  if (!link.name.starts_with("pcie")) return false;
  return device == nullptr || !device->build.measured || device->build.scale_up != link.name;
}

Bandwidth unknown_pcie_bandwidth(const LinkEntry& link, std::int64_t devices) {
  const Bandwidth through_host(link.bandwidth.count() * kThroughHost);
  return devices <= kSocketDevices ? through_host : std::min(through_host, kAcrossSockets);
}

}  // namespace orrery::platform
