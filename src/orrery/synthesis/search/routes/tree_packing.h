// SPDX-License-Identifier: Apache-2.0
//
// Trees along which pieces spread, or sums come together and spread, so that links are about evenly
// busy. Private to the search for streams.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/synthesis/search/routes/piece_routes.h"
#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

struct TreeTask {
  std::vector<NodeIndex> stores;     ///< devices that may be in trees, members and others
  std::vector<NodeIndex> root;       ///< by tree: where it starts
  std::vector<std::uint32_t> group;  ///< by tree
  std::vector<std::int64_t> bytes;   ///< by tree
  /// By group, then node: who has to be in its trees.
  std::vector<std::vector<bool>> wanted;
  /// A tree is gone along twice: summands to its root, the sum from there. Then its middle becomes
  /// the root, and links of both directions are paid for.
  bool up_and_down = false;
  bool against = false;  ///< over the links' other directions, for what is turned round afterwards
  /// How much a hop farther from the root is worth, in links that are as busy as any.
  double depth_price = 0;
  double enough = 0;  ///< seconds of the busiest link, below which no better trees are looked for
};

struct TreePacking {
  RouteGraph route_graph;    ///< the ways that trees are made of
  PieceRoutes piece_routes;  ///< by tree, as StreamTask::routes
  double busiest = 0;        ///< seconds that the busiest link is
};

/// Each tree grows from its root to whoever is reached most cheaply, over switches and devices,
/// where links cost the more the busier others have made them; then tree after tree is taken out
/// and grown again, several times, with the busiest links ever dearer, and the best of all is kept.
///
/// Packing trees is what optimal all-gathers are (Edmonds, "Edge-disjoint branchings", 1973; Zhao
/// et al., "ForestColl", 2024, arXiv 2402.06787), and packing spanning trees what optimal
/// all-reduces are where links are alike in both directions (Nash-Williams, 1961: as many as 2 (k -
/// 1) n over what leaves k sets lets hope for). This search is not exact. Empty routes: someone is
/// not reached. O(rounds × trees × devices × links of one × log).
[[nodiscard]] TreePacking pack_trees(const FabricState& fabric, const TreeTask& task);

}  // namespace orrery::synthesis
