// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/routes/route_list.h"

namespace orrery::synthesis {

std::vector<bool> passable_nodes(const FabricState& fabric, std::span<const NodeIndex> stores) {
  std::vector<bool> passable(fabric.node_count());
  for (NodeIndex node = 0; node < fabric.node_count(); ++node)
    passable[node] = is_transit(fabric.topology->kind(node));
  for (const NodeIndex node : stores) passable[node] = true;
  return passable;
}

RouteList::RouteList(const FabricState& fabric, std::span<const NodeIndex> stores)
    : fabric_(fabric), route_graph_(graph_of_stores(fabric, {stores.begin(), stores.end()})) {}

std::uint32_t RouteList::index_of(NodeIndex from, NodeIndex to,
                                  const std::vector<std::uint32_t>& wires) {
  const auto [found, is_new] =
      indices_.try_emplace(wires, static_cast<std::uint32_t>(route_graph_.routes.size()));
  if (is_new)
    append_route(fabric_, route_graph_, route_graph_.store_of[from], route_graph_.store_of[to],
                 wires);
  return found->second;
}

}  // namespace orrery::synthesis
