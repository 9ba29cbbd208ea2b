// SPDX-License-Identifier: Apache-2.0
//
// Trees along which pieces spread, or sums come together and spread, so that links are about evenly
// busy. Private to gather() and synthesise().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/synthesis/search/reach.h"
#include "orrery/synthesis/search/routes.h"

namespace orrery::synthesis {

struct TreeTask {
  std::vector<std::uint32_t> root;   ///< by tree: the store where it starts
  std::vector<std::uint32_t> group;  ///< by tree
  std::vector<std::int64_t> bytes;   ///< by tree
  /// By group, then store: who has to be in its trees. Others may be.
  std::vector<std::vector<bool>> wanted;
  /// A tree is gone along twice: summands to its root, the sum from there. Then any store may be
  /// the root, and ways of both directions are paid for.
  bool both_ways = false;
  /// How much a hop farther from the root is worth, in hops over links that are as busy as any.
  double depth_price = 0;
  double enough = 0;  ///< seconds of the busiest link, below which no better trees are looked for
  std::uint64_t steps = 300'000'000;  ///< links that are looked at, at most, after the first trees
};

struct PackedTrees {
  Routes routes;       ///< by tree, as StreamTask::routes
  double busiest = 0;  ///< seconds that the busiest link is
};

/// Each tree grows from its root to whoever is reached most cheaply, where links cost the more the
/// busier others have made them; then tree after tree is taken out and grown again, several times,
/// with the busiest links ever dearer, and the best of all is kept. Packing trees is what optimal
/// all-gathers are (Edmonds, "Edge-disjoint branchings", 1973; Zhao et al., "ForestColl", 2024,
/// arXiv 2402.06787), and spanning trees what optimal all-reduces are where links are alike in both
/// directions (Nash-Williams, 1961). This search is no exact one. Empty routes: some store is not
/// reached. O(rounds × trees × links of all ways).
[[nodiscard]] PackedTrees packed_trees(const Reach& reach, const TreeTask& task);

}  // namespace orrery::synthesis
