// SPDX-License-Identifier: Apache-2.0
//
// Which links all-to-alls are short of, together. Private to bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/ground.h"

namespace orrery::synthesis {

/// What links are worth: no way is shorter than what members are apart where each link is as long
/// as its weight, so that all bytes times that are no more than all capacity times weight.
struct WeighedLinks {
  double seconds = 0;                ///< no all-to-all takes less, for each byte of a pair
  std::vector<std::uint32_t> wires;  ///< that have one in a thousand of the most weight or more
};

/// The weights that say most, of those with which ways were looked for that fill all links alike:
/// by the duality of linear programs (Shahrokhi and Matula, 1990) the best weights say exactly how
/// long the best ways take, and any weights are a bound. Empty: more than `steps` links would have
/// to be looked at. O(rounds × members × links log).
[[nodiscard]] std::optional<WeighedLinks> weighed_links(const Ground& ground,
                                                        std::span<const NodeIndex> members,
                                                        std::uint64_t steps);

}  // namespace orrery::synthesis
