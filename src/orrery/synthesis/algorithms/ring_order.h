// SPDX-License-Identifier: Apache-2.0
//
// Finds an order of ranks for a ring.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// Returns indices into `ranks` in an order in which neighbors are near. If the ranks are a
/// complete grid, the order moves along it (reflected Gray code of mixed radix: Knuth, The Art of
/// Computer Programming 4A, section 7.2.1.1, algorithm H). Otherwise each rank is followed by the
/// nearest remaining one by hops, the lowest first. O(ranks × links) at most.
[[nodiscard]] std::vector<std::uint32_t> ring_order(const FabricState& fabric,
                                                    std::span<const std::uint32_t> ranks);

}  // namespace orrery::synthesis
