// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/routes/route_list.h"

#include <algorithm>
#include <limits>

namespace orrery::synthesis {

std::vector<bool> passable_nodes(const FabricState& fabric, std::span<const NodeIndex> stores) {
  std::vector<bool> passable(fabric.node_count());
  for (NodeIndex node = 0; node < fabric.node_count(); ++node) {
    const platform::NodeClass kind = fabric.topology->kind(node);
    passable[node] = kind != platform::NodeClass::device && kind != platform::NodeClass::memory;
  }
  for (const NodeIndex node : stores) passable[node] = true;
  return passable;
}

RouteList::RouteList(const FabricState& fabric, std::span<const NodeIndex> stores)
    : fabric_(fabric) {
  route_graph_.stores.assign(stores.begin(), stores.end());
  route_graph_.store_of.assign(fabric.node_count(), RouteGraph::kNoStore);
  for (std::uint32_t s = 0; s < route_graph_.stores.size(); ++s)
    route_graph_.store_of[route_graph_.stores[s]] = s;
  for (const Wire& wire : fabric.wires)
    route_graph_.room.push_back(static_cast<std::int64_t>(std::min(wire.capacity, 0x1p62)));
}

std::uint32_t RouteList::number(NodeIndex from, NodeIndex to,
                                const std::vector<std::uint32_t>& wires) {
  const auto [found, is_new] =
      numbers_.try_emplace(wires, static_cast<std::uint32_t>(route_graph_.routes.size()));
  if (!is_new) return found->second;
  Route route{from,
              to,
              std::numeric_limits<std::int64_t>::max(),
              {},
              static_cast<std::uint32_t>(route_graph_.held.size()),
              static_cast<std::uint32_t>(wires.size())};
  for (const std::uint32_t wire : wires) {
    route.rate = std::min(route.rate, route_graph_.room[wire]);
    route.latency += fabric_.wires[wire].latency;
    route_graph_.held.push_back({wire, {}});
  }
  route_graph_.routes.push_back(route);
  route_graph_.from.push_back(route_graph_.store_of[from]);
  route_graph_.to.push_back(route_graph_.store_of[to]);
  return found->second;
}

}  // namespace orrery::synthesis
