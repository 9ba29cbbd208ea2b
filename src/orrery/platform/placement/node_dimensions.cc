// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/placement/node_dimensions.h"

#include <cstdint>
#include <vector>

#include "orrery/platform/catalog/catalog.h"

namespace orrery::platform {
namespace {

constexpr double kMinNodeShare = 0.25;
constexpr double kMinBandwidthShare = 0.9;

}  // namespace

std::size_t node_dimensions(const Platform& platform) {
  const std::vector<Dimension>& dims = platform.dims;
  const DeviceEntry* entry = find_device(platform.device.entry);
  const LinkEntry* usual = entry == nullptr ? nullptr : find_link(entry->build.scale_up);
  if (dims.empty()) return 0;
  const double first = dims.front().bandwidth.count();
  if (usual != nullptr && dims.front().unknown_pcie.empty() &&
      first < kMinNodeShare * usual->bandwidth.count())
    return 0;
  const std::int64_t island = entry == nullptr ? 0 : entry->build.island;
  std::int64_t size = dims.front().size;
  std::size_t count = 1;
  while (count < dims.size() && dims[count].bandwidth.count() >= kMinBandwidthShare * first &&
         size * dims[count].size <= island)
    size *= dims[count++].size;
  return count;
}

}  // namespace orrery::platform
