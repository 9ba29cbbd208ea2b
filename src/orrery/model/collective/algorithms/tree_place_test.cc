// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/algorithms/tree_place.h"

#include <gtest/gtest.h>

namespace orrery::model {
namespace {

TEST(Tree, EightMembersMaxTree) {
  const TreePlace root = tree_place(7, 8, true);
  EXPECT_EQ(root.parent, TreePlace::kNone);
  EXPECT_EQ(root.left, 3u);
  EXPECT_EQ(root.right, TreePlace::kNone);
  EXPECT_EQ(tree_place(3, 8, true).parent, 7u);
  EXPECT_EQ(tree_place(1, 8, true).parent, 3u);
  EXPECT_EQ(tree_place(5, 8, true).right, 6u);
  EXPECT_TRUE(tree_place(0, 8, true).is_leaf());
}

// Every edge is seen from both ends, there is one root, and a leaf of one tree is an inner node of
// the other.
TEST(Tree, EdgesAgreeAndLeavesComplement) {
  for (const std::uint32_t size : {2u, 4u, 8u, 16u, 64u, 1024u}) {
    std::uint32_t leaves_of_both = 0;
    for (const bool max_tree : {true, false}) {
      std::uint32_t roots = 0;
      for (std::uint32_t p = 0; p < size; ++p) {
        const TreePlace place = tree_place(p, size, max_tree);
        roots += place.parent == TreePlace::kNone ? 1 : 0;
        for (const std::uint32_t child : {place.left, place.right}) {
          if (child == TreePlace::kNone) continue;
          ASSERT_LT(child, size);
          EXPECT_EQ(tree_place(child, size, max_tree).parent, p);
        }
      }
      EXPECT_EQ(roots, 1u);
    }
    for (std::uint32_t p = 0; p < size; ++p) {
      leaves_of_both +=
          tree_place(p, size, true).is_leaf() && tree_place(p, size, false).is_leaf() ? 1 : 0;
    }
    EXPECT_EQ(leaves_of_both, 0u) << size;
  }
}

}  // namespace
}  // namespace orrery::model
