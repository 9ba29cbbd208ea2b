// SPDX-License-Identifier: Apache-2.0
//
// Which links all-to-alls are short of, together. Private to bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// Members of which each sends every other so many times what a pair of share 1 does.
struct ExchangeGroup {
  std::span<const NodeIndex> members;
  double share = 1;
};

/// What links are worth: no way is shorter than what members are apart where each link is as long
/// as its weight, so that all bytes times that are no more than all capacity times weight.
struct LinkWeights {
  double seconds = 0;                ///< they take no less, for each byte of a pair of share 1
  std::vector<std::uint32_t> wires;  ///< that have one in a thousand of the most weight or more
};

/// The weights that say most, of those with which ways were looked for that fill all links alike:
/// by the duality of linear programs (Shahrokhi and Matula, 1990) the best weights say exactly how
/// long the best ways take, and any weights are a bound. Empty: more than `steps` links would have
/// to be looked at. All groups exchange at once. O(rounds × members × links log).
[[nodiscard]] std::optional<LinkWeights> find_link_weights(const FabricState& fabric,
                                                           std::span<const ExchangeGroup> groups,
                                                           std::uint64_t steps);

}  // namespace orrery::synthesis
