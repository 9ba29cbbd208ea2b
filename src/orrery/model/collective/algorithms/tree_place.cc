// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/algorithms/tree_place.h"

namespace orrery::model {

TreePlace tree_place(std::uint32_t position, std::uint32_t size, bool max_tree) {
  const std::uint32_t shift = max_tree ? 1 : 0;  // added to a position: in-order number 1 … size-1
  const std::uint32_t top = max_tree ? size - 1 : 0;
  TreePlace place;
  if (position == top) {
    (max_tree ? place.left : place.right) = size / 2 - shift;
    return place;
  }
  const std::uint32_t number = position + shift;
  const std::uint32_t half = number & (~number + 1);  // the subtree spans number ± (half - 1)
  if (number == size / 2) {
    place.parent = top;
  } else {
    place.parent = ((number & (half << 1)) != 0 ? number - half : number + half) - shift;
  }
  if (half > 1) {
    place.left = number - half / 2 - shift;
    place.right = number + half / 2 - shift;
  }
  return place;
}

}  // namespace orrery::model
