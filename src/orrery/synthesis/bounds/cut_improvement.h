// SPDX-License-Identifier: Apache-2.0
//
// Sets of nodes made tighter, node by node. Private to bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// What has to pass the rims of sets: by group, of how many members are inside and whether its root
/// is, the bytes that leave.
struct CutDemand {
  std::span<const std::vector<std::uint32_t>> groups_of;  ///< by node
  std::vector<std::int64_t> members;                      ///< by group: how many
  std::vector<NodeIndex> roots;                           ///< by group
  std::function<double(std::uint32_t group, std::int64_t inside, bool root_inside)> leaves;
};

/// From `start` on takes one node in or out, or one of `units` (nodes that belong together) in,
/// whichever makes most of what leaves the set (`enters`: what enters it) over the capacity there,
/// until nothing makes it more or `steps`, from which links that are looked at are taken off, are
/// spent. A local optimum: others may be tighter. O(rounds × (links + nodes of units)).
[[nodiscard]] std::vector<bool> improve_cut(const FabricState& fabric, const CutDemand& demand,
                                            std::span<const std::vector<NodeIndex>> units,
                                            std::span<const NodeIndex> start, bool enters,
                                            std::uint64_t& steps);

}  // namespace orrery::synthesis
