// SPDX-License-Identifier: Apache-2.0
//
// Ways as they are found, each once. Private to the searches for trees and ways.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// By node: who passes on what it gets. Switches do, and of devices those that may keep.
[[nodiscard]] std::vector<bool> passable_nodes(const FabricState& fabric,
                                               std::span<const NodeIndex> stores);

class RouteList {
 public:
  RouteList(const FabricState& fabric, std::span<const NodeIndex> stores);
  /// The number of a way from a store to another over these wires, in the order of the way. Its
  /// ends may stand the other way round, as reversed() has them: then `wires` lead from `to`.
  std::uint32_t number(NodeIndex from, NodeIndex to, const std::vector<std::uint32_t>& wires);
  /// All of them, by number; good for streams: it has no `turn`, `out_offsets` nor
  /// `LinkUse::later`.
  [[nodiscard]] RouteGraph route_graph() && { return std::move(route_graph_); }

 private:
  const FabricState& fabric_;
  RouteGraph route_graph_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_;
};

}  // namespace orrery::synthesis
