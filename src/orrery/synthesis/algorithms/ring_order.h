// SPDX-License-Identifier: Apache-2.0
//
// In which order a ring goes round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// Places in `ranks` in an order in which neighbours are near: on a grid of all ranks from one to
/// the next along it (reflected Gray code of mixed radix: Knuth, The Art of Computer Programming
/// 4A, section 7.2.1.1, algorithm H), elsewhere from each to the nearest by hops of those that are
/// left, the lowest first. O(ranks × links), at most.
[[nodiscard]] std::vector<std::uint32_t> ring_order(const FabricState& fabric,
                                                    std::span<const std::uint32_t> ranks);

}  // namespace orrery::synthesis
