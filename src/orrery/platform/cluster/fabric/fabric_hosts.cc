// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/fabric/fabric_hosts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::platform {

std::vector<std::uint32_t> ranks_per_host(const Platform& platform,
                                          std::span<const std::uint32_t> ranks) {
  if (platform.fabric == nullptr) return {};
  const Topology& topology = platform.fabric->topology;
  std::vector<std::uint32_t> sizes;
  std::set<std::uint32_t> seen;
  std::optional<std::uint32_t> last;
  for (const std::uint32_t rank : ranks) {
    if (rank >= platform.fabric->rank_devices.size()) return {};
    const std::uint32_t host = topology.host(platform.fabric->rank_devices[rank]);
    if (host == Topology::kNoHost) return {};
    if (host != last) {
      if (!seen.insert(host).second) return {};  // its ranks are not consecutive
      sizes.push_back(0);
      last = host;
    }
    ++sizes.back();
  }
  return sizes;
}

bool has_unequal_hosts(const Platform& platform) {
  if (platform.fabric == nullptr || platform.dims.size() != 1) return false;
  std::vector<std::uint32_t> all(platform.fabric->rank_devices.size());
  std::iota(all.begin(), all.end(), 0U);
  const std::vector<std::uint32_t> sizes = ranks_per_host(platform, all);
  if (sizes.empty()) return false;
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return *least != *most;
}

}  // namespace orrery::platform
