// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace orrery::model {

/// A position's place in one of the two binary trees of a double-binary-tree all-reduce.
/// Positions not there are kNone.
struct TreePlace {
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t parent = kNone;
  std::uint32_t left = kNone;
  std::uint32_t right = kNone;

  [[nodiscard]] bool is_leaf() const { return left == kNone && right == kNone; }
};

/// The place of `position` among `size` (a power of two) members.
///
/// size-1 positions form a complete binary tree numbered in order; the remaining one is its root's
/// parent with a single child: the highest position in the "max" tree, the lowest in the "min"
/// tree. So a leaf of one tree is inner in the other. Source: Sanders, Speck, Träff, "Two-tree
/// algorithms for full bandwidth broadcast, reduction and scan" (Parallel Computing 2009)
/// section 3.
[[nodiscard]] TreePlace tree_place(std::uint32_t position, std::uint32_t size, bool max_tree);

}  // namespace orrery::model
