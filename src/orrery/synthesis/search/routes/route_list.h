// SPDX-License-Identifier: Apache-2.0
//
// Collects distinct routes. Private to the searches for trees and routes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// By node: whether it forwards pieces. Switches do, and those devices that are stores.
[[nodiscard]] std::vector<bool> passable_nodes(const FabricState& fabric,
                                               std::span<const NodeIndex> stores);

class RouteList {
 public:
  RouteList(const FabricState& fabric, std::span<const NodeIndex> stores);
  /// The number of the route from a store to another over these wires, in the order of the route;
  /// adds it if it is new. The ends may be exchanged, as in reversed(): then `wires` lead from
  /// `to`.
  std::uint32_t index_of(NodeIndex from, NodeIndex to, const std::vector<std::uint32_t>& wires);
  /// All routes, by number, for streams: `receiver_order` and `out_offsets` are not set.
  [[nodiscard]] RouteGraph route_graph() && { return std::move(route_graph_); }

 private:
  const FabricState& fabric_;
  RouteGraph route_graph_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> indices_;
};

}  // namespace orrery::synthesis
