// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/way_list.h"

#include <algorithm>
#include <limits>

namespace orrery::synthesis {

std::vector<bool> passable_nodes(const Ground& ground, std::span<const NodeIndex> stores) {
  std::vector<bool> passable(ground.node_count());
  for (NodeIndex node = 0; node < ground.node_count(); ++node) {
    const platform::NodeClass kind = ground.topology->kind(node);
    passable[node] = kind != platform::NodeClass::device && kind != platform::NodeClass::memory;
  }
  for (const NodeIndex node : stores) passable[node] = true;
  return passable;
}

WayList::WayList(const Ground& ground, std::span<const NodeIndex> stores) : ground_(ground) {
  reach_.stores.assign(stores.begin(), stores.end());
  reach_.store_of.assign(ground.node_count(), Reach::kNoStore);
  for (std::uint32_t s = 0; s < reach_.stores.size(); ++s) reach_.store_of[reach_.stores[s]] = s;
  for (const Wire& wire : ground.wires)
    reach_.room.push_back(static_cast<std::int64_t>(std::min(wire.capacity, 0x1p62)));
}

std::uint32_t WayList::number(NodeIndex from, NodeIndex to,
                              const std::vector<std::uint32_t>& wires) {
  const auto [found, is_new] =
      numbers_.try_emplace(wires, static_cast<std::uint32_t>(reach_.ways.size()));
  if (!is_new) return found->second;
  Way way{from,
          to,
          std::numeric_limits<std::int64_t>::max(),
          {},
          static_cast<std::uint32_t>(reach_.held.size()),
          static_cast<std::uint32_t>(wires.size())};
  for (const std::uint32_t wire : wires) {
    way.rate = std::min(way.rate, reach_.room[wire]);
    way.latency += ground_.wires[wire].latency;
    reach_.held.push_back({wire, {}});
  }
  reach_.ways.push_back(way);
  reach_.from.push_back(reach_.store_of[from]);
  reach_.to.push_back(reach_.store_of[to]);
  return found->second;
}

}  // namespace orrery::synthesis
