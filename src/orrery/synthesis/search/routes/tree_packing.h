// SPDX-License-Identifier: Apache-2.0
//
// Packs trees along which pieces spread, or along which sums are computed and spread, so that links
// have similar load. Private to the search for streams.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/synthesis/search/routes/piece_routes.h"
#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

struct TreeTask {
  std::vector<NodeIndex> stores;     ///< devices that may be in trees: members and others
  std::vector<NodeIndex> root;       ///< by tree: its root
  std::vector<std::uint32_t> group;  ///< by tree
  std::vector<std::int64_t> bytes;   ///< by tree
  /// By group, then node: whether the node must be in its trees.
  std::vector<std::vector<bool>> required;
  /// Each tree is used twice: summands move to its root, the sum moves from there. The root is then
  /// the middle of the tree, and both directions of links carry load.
  bool up_and_down = false;
  bool reverse_links = false;  ///< uses the opposite directions of links, for schedules that
                               ///< time_reversed() reverses
  /// The price of one more hop from the root, relative to the busiest link.
  double depth_price = 0;
  double target_seconds =
      0;  ///< stops if the busiest link is busy for less than this time in seconds
};

struct TreePacking {
  RouteGraph route_graph;         ///< the routes of all trees
  PieceRoutes piece_routes;       ///< by tree, as StreamTask::piece_routes
  double bottleneck_seconds = 0;  ///< time in seconds for which the busiest link is busy
};

/// Grows each tree from its root to the device of lowest cost, over switches and devices, where the
/// cost of a link increases with its load. Then removes and regrows tree after tree for several
/// rounds, with increasing costs of the busiest links, and returns the best packing.
///
/// Optimal all-gathers are packings of trees (Edmonds, "Edge-disjoint branchings", 1973; Zhao et
/// al., "ForestColl", 2024, arXiv 2402.06787). Optimal all-reduces are packings of spanning trees
/// if links are identical in both directions (Nash-Williams, 1961: as many as the bound 2 (k - 1) n
/// over what leaves k sets allows). This search is not exact. Returns no routes if a required node
/// is not reached. O(rounds × trees × devices × links of one × log).
[[nodiscard]] TreePacking pack_trees(const FabricState& fabric, const TreeTask& task);

}  // namespace orrery::synthesis
