// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/node_layout.h"

#include <algorithm>
#include <unordered_map>

namespace orrery::sim {

void NodeLayout::make(const std::vector<const graph::Graph*>& graphs, std::uint32_t tile) {
  struct Tile {
    std::size_t ranks_left = 0;  // with the graph, not placed yet
    std::size_t first = 0;       // index of the first value of the current tile
    std::size_t size = 0;        // ranks of the current tile
    std::size_t placed = 0;      // of them
  };
  std::unordered_map<const graph::Graph*, Tile> tiles;
  for (const graph::Graph* graph : graphs) ++tiles[graph].ranks_left;
  ranks_.clear();
  size_ = 0;
  for (const graph::Graph* graph : graphs) {
    Tile& current = tiles[graph];
    if (current.placed == current.size) {
      current = {current.ranks_left, size_, std::min<std::size_t>(tile, current.ranks_left), 0};
      size_ += current.size * graph->size();
    }
    ranks_.push_back({current.first + current.placed++, current.size});
    --current.ranks_left;
  }
}

}  // namespace orrery::sim
