// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace orrery::model {

/// The neighbors of a position in one of the two trees of a double-binary-tree all-reduce. kNone:
/// there is no such neighbor.
struct TreePlace {
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t parent = kNone;
  std::uint32_t left = kNone;
  std::uint32_t right = kNone;

  [[nodiscard]] bool is_leaf() const { return left == kNone && right == kNone; }
};

/// The place of `position` among `size` (a power of two) members.
///
/// size-1 positions form a complete binary tree, numbered in order. The remaining position is the
/// parent of its root and has no other child: the highest position in the "max" tree, the lowest in
/// the "min" tree. So a leaf of one tree is an inner node of the other. Source: Sanders, Speck,
/// Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan" (Parallel
/// Computing 2009) section 3.
[[nodiscard]] TreePlace tree_place(std::uint32_t position, std::uint32_t size, bool max_tree);

}  // namespace orrery::model
