// SPDX-License-Identifier: Apache-2.0
//
// The memories of a network that are nearest to each node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/platform/topology/topology.h"

namespace orrery::model {

/// For each node, the memories with the shortest distance. The distance is the number of links of
/// the shortest path; each device on the path counts as one more link.
class NearestMemories {
 public:
  /// `down`: by link; empty: no link is down. O((nodes + links) x memories at equal distance).
  NearestMemories(const platform::Topology& topology, std::span<const platform::NodeIndex> memories,
                  const std::vector<bool>& down);

  /// Indices of the nearest memories in `memories`, ascending. Empty: no memory is reachable.
  [[nodiscard]] std::span<const std::uint32_t> of(platform::NodeIndex node) const {
    return sets_[set_of_[node]];
  }

 private:
  std::vector<std::vector<std::uint32_t>> sets_;  // distinct sets; the first is empty
  std::vector<std::uint32_t> set_of_;             // by node
};

}  // namespace orrery::model
