// SPDX-License-Identifier: Apache-2.0
//
// How much a fabric would be, before any of it is made.
#include <fmt/format.h>

#include <utility>

#include "orrery/core/limits.h"
#include "orrery/platform/topology/generators/generator_parts.h"

namespace orrery::platform::generators {

namespace {

/// Of one host: what it adds to a fabric, at most.
std::pair<double, double> nodes_and_links(const HostShape& shape) {
  const auto devices = static_cast<double>(shape.devices), nics = static_cast<double>(shape.nics);
  const double inside =
      shape.inside == HostInterconnect::switched ? devices * static_cast<double>(shape.switches)
      : shape.inside == HostInterconnect::fully_connected ? devices * (devices - 1) / 2
                                                          : 2 * devices;
  const bool packed = shape.per_package > 1;
  const double hubs = packed ? devices / static_cast<double>(shape.per_package) : 0;
  return {devices + hubs + static_cast<double>(shape.switches) + 2 * nics,
          2 * (inside + (packed ? 2 : 1) * devices + 2 * nics)};
}

/// What blocks hold.
struct BlockContents {
  double devices = 0, nodes = 0, links = 0;
};

std::optional<KeyError> add_contents(const BlockPlan& block, BlockContents& all) {
  for (std::size_t i = 0; i < block.hosts.size(); ++i) {
    const HostShape& shape = block.hosts[i];
    const double count = static_cast<double>(shape.count) * static_cast<double>(block.count);
    const auto [own_nodes, own_links] = nodes_and_links(shape);
    all.devices += count * static_cast<double>(shape.devices);
    all.nodes += count * own_nodes;
    all.links += count * own_links;
    if (shape.devices % shape.per_package != 0)
      return KeyError{fmt::format("{}/hosts/{}/package/devices", block.place, i),
                      fmt::format("{} devices are not a multiple of the package size {}",
                                  shape.devices, shape.per_package),
                      {}};
    if (all.devices > static_cast<double>(limits::kRanks))
      return KeyError{fmt::format("{}/hosts/{}/count", block.place, i),
                      fmt::format("results in more than {} devices", limits::kRanks),
                      {}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<KeyError> check_size(const std::vector<BlockPlan>& blocks,
                                   const std::vector<LevelPlan>& levels, TopologyBuilder& builder) {
  BlockContents all;
  double different = 0;
  for (const BlockPlan& block : blocks) {
    different += static_cast<double>(block.count);
    if (auto wrong = add_contents(block, all)) return wrong;
  }
  if (different > 1 && levels.empty())
    return KeyError{"/levels", "is missing: no network joins the groups",
                    fmt::format("levels: [{{count: {}, network: {{kind: …}}}}]", different)};
  if (different > 1 && static_cast<double>(levels.front().count) != different)
    return KeyError{"/levels/0/count", fmt::format("is not {}, the number of groups", different),
                    "the first level must join all groups"};
  double times = 1;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (i > 0 || different <= 1) times *= static_cast<double>(levels[i].count);
    if (all.devices * times > static_cast<double>(limits::kRanks))
      return KeyError{fmt::format("/levels/{}/count", i),
                      fmt::format("results in more than {} devices", limits::kRanks),
                      {}};
  }
  (void)builder.has_room(all.links * times, all.nodes * times);
  return std::nullopt;
}

}  // namespace orrery::platform::generators
