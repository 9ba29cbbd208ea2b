// SPDX-License-Identifier: Apache-2.0
//
// Improves cuts node by node. Private to bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// The bytes that groups send across the boundary of a set. `leaving_bytes` returns the bytes that
/// leave a set with `inside` members of a group, with or without its root.
struct CutDemand {
  std::span<const std::vector<std::uint32_t>> groups_of;  ///< by node
  std::vector<std::int64_t> members;                      ///< number of members, by group
  std::vector<NodeIndex> roots;                           ///< by group
  std::function<double(std::uint32_t group, std::int64_t inside, bool root_inside)> leaving_bytes;
};

/// Local search from `start`: moves one node in or out, or one of `units` (nodes that belong
/// together) in, as long as this increases bytes / capacity of the links that leave the set
/// (`enters`: that enter it). Each evaluated link costs one of `steps`; stops at 0. The result is a
/// local optimum. O(rounds × (links + nodes of units)).
[[nodiscard]] std::vector<bool> improve_cut(const FabricState& fabric, const CutDemand& demand,
                                            std::span<const std::vector<NodeIndex>> units,
                                            std::span<const NodeIndex> start, bool enters,
                                            std::uint64_t& steps);

}  // namespace orrery::synthesis
