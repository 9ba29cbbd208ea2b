// SPDX-License-Identifier: Apache-2.0
//
// Which memories of a network are nearest to whom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/platform/topology/topology.h"

namespace orrery::model {

/// Of each node, the memories that are nearest: the fewest links away, as ways of fewest links have
/// it (a device on the way counts as one more).
class NearestMemories {
 public:
  /// `down`: by link; empty: none is. O((nodes + links) x memories that are equally near).
  NearestMemories(const platform::Topology& topology, std::span<const platform::NodeIndex> memories,
                  const std::vector<bool>& down);

  /// Their places in `memories`, ascending. Empty: none is reached.
  [[nodiscard]] std::span<const std::uint32_t> of(platform::NodeIndex node) const {
    return sets_[set_of_[node]];
  }

 private:
  std::vector<std::vector<std::uint32_t>> sets_;  // equal ones once; the first is empty
  std::vector<std::uint32_t> set_of_;             // by node
};

}  // namespace orrery::model
