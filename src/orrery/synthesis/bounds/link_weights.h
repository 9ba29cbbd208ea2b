// SPDX-License-Identifier: Apache-2.0
//
// A bound for all-to-alls from weighted links. Private to bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// An all-to-all group. Each pair sends `share` times the bytes of a pair of share 1.
struct ExchangeGroup {
  std::span<const NodeIndex> members;
  double share = 1;
};

/// The bound from link weights. If each link is as long as its weight, no route is shorter than the
/// distance between its ends. So the sum of bytes × distance cannot exceed the sum of capacity ×
/// weight.
struct LinkWeights {
  double seconds = 0;                ///< lower bound per byte of a pair of share 1
  std::vector<std::uint32_t> wires;  ///< links with at least 1/1000 of the largest weight
};

/// Searches for weights that maximize the bound, with routes that load all links equally. By the
/// duality of linear programs (Shahrokhi and Matula, 1990) the best weights give exactly the time
/// of the best routes, and any weights give a valid bound. All groups exchange concurrently. Empty
/// if the search needs more than `steps` link evaluations. O(rounds × members × links log).
[[nodiscard]] std::optional<LinkWeights> find_link_weights(const FabricState& fabric,
                                                           std::span<const ExchangeGroup> groups,
                                                           std::uint64_t steps);

}  // namespace orrery::synthesis
