// SPDX-License-Identifier: Apache-2.0
//
// Ways as they are found, each once. Private to the searches for trees and ways.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "orrery/synthesis/search/reach.h"

namespace orrery::synthesis {

/// By node: who passes on what it gets. Switches do, and of devices those that may keep.
[[nodiscard]] std::vector<bool> passable_nodes(const Ground& ground,
                                               std::span<const NodeIndex> stores);

class WayList {
 public:
  WayList(const Ground& ground, std::span<const NodeIndex> stores);
  /// The number of a way from a store to another over these wires, in the order of the way. Its
  /// ends may stand the other way round, as reversed() has them: then `wires` lead from `to`.
  std::uint32_t number(NodeIndex from, NodeIndex to, const std::vector<std::uint32_t>& wires);
  /// All of them, by number; good for streams: it has no `turn`, `first_out` nor `Held::later`.
  [[nodiscard]] Reach reach() && { return std::move(reach_); }

 private:
  const Ground& ground_;
  Reach reach_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_;
};

}  // namespace orrery::synthesis
