// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/placement/device_subset.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/cluster/fabric/fabric_hosts.h"

namespace orrery::platform {
namespace {

/// By dimension: the coordinates of devices.
std::vector<std::set<std::int64_t>> remaining_coordinates(
    const std::vector<Dimension>& dims, const std::vector<std::uint32_t>& devices) {
  std::vector<std::set<std::int64_t>> coordinates(dims.size());
  for (const std::uint32_t device : devices) {
    std::int64_t rest = device;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      coordinates[d].insert(rest % dims[d].size);
      rest /= dims[d].size;
    }
  }
  return coordinates;
}

void drop_dimension(Platform& platform, std::size_t dim) {
  platform.dims.erase(platform.dims.begin() + static_cast<std::ptrdiff_t>(dim));
  CollectiveConfig& all = platform.collectives;
  for (CollectivePlan* plan : all.plans())
    if (dim < plan->per_dim.size() && plan->per_dim.size() > 1)
      plan->per_dim.erase(plan->per_dim.begin() + static_cast<std::ptrdiff_t>(dim));
  for (Deviation& deviation : platform.deviations) {
    std::erase_if(deviation.ports, [&](const auto& port) { return port.dim == dim; });
    for (Deviation::Port& port : deviation.ports) port.dim -= port.dim > dim ? 1 : 0;
  }
}

void renumber_deviations(Platform& platform, const std::vector<std::uint32_t>& devices) {
  for (Deviation& deviation : platform.deviations) {
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t i = 0; i < devices.size(); ++i)
      if (std::binary_search(deviation.ranks.begin(), deviation.ranks.end(), devices[i]))
        ranks.push_back(i);
    deviation.ranks = std::move(ranks);
  }
  std::erase_if(platform.deviations, [](const auto& one) { return one.ranks.empty(); });
}

Result<void> check_restrictable(const Platform& platform) {
  const CollectiveConfig& all = platform.collectives;
  for (const CollectivePlan* plan : all.plans())
    if (!plan->chosen.empty() || (!plan->custom_prefix.empty() && plan->custom_prefix != kRings))
      return fail(Errc::config_conflict, platform.name,
                  "its collective algorithms apply only to groups of its full number of devices",
                  "use algorithms that work for any group");
  if (platform.remote_memory.kind != RemoteMemoryKind::none)
    return fail(Errc::config_conflict, platform.name,
                "its devices share remote memories, and their number for fewer devices is unknown",
                "describe the smaller cluster in a file, and simulate on it");
  return {};
}

}  // namespace

Result<Platform> restrict_to_devices(const Platform& platform,
                                     const std::vector<std::uint32_t>& devices) {
  if (devices.empty() || devices.back() >= platform.npu_count())
    return fail(Errc::usage, platform.name,
                fmt::format("has only {} devices", platform.npu_count()));
  if (auto fine = check_restrictable(platform); !fine) return tl::unexpected(fine.error());
  Platform made = platform;
  renumber_deviations(made, devices);
  if (platform.fabric) {
    Fabric fabric = *platform.fabric;
    fabric.rank_devices.clear();
    for (const std::uint32_t device : devices)
      fabric.rank_devices.push_back(platform.fabric->rank_devices[device]);
    made.dims = fabric.logical_dims();
    complete_dims(made.dims, fabric);
    made.fabric = std::make_shared<const Fabric>(std::move(fabric));
    return made;
  }
  const auto coordinates = remaining_coordinates(platform.dims, devices);
  std::size_t product = 1;
  for (const auto& each : coordinates) product *= each.size();
  if (product != devices.size())
    return fail(
        Errc::config_conflict, platform.name,
        fmt::format("the remaining {} devices do not fill its dimensions evenly", devices.size()),
        "specify the remaining number along each axis: --ranks tp=2,dp=4");
  for (std::size_t d = coordinates.size(); d-- > 0;) {
    made.dims[d].size = static_cast<std::int64_t>(coordinates[d].size());
    if (coordinates[d].size() == 1 && made.dims.size() > 1) drop_dimension(made, d);
  }
  return made;
}

}  // namespace orrery::platform
