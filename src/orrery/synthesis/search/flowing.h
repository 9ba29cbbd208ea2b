// SPDX-License-Identifier: Apache-2.0
//
// Collectives as streams along trees and ways, in all directions at once. Private to gather(),
// exchange() and synthesise().
#pragma once

#include <optional>
#include <span>

#include "orrery/synthesis/search/gather.h"

namespace orrery::synthesis {

/// As gather(): each shard along trees of its own. Of several numbers of trees, and prices of
/// depth, the quickest; empty where there are too many stores or bytes too few, or `effort.chunks`
/// says otherwise.
[[nodiscard]] std::optional<Found> flowing_gather(const Ground& ground,
                                                  std::span<const Group> groups,
                                                  const Effort& effort, bool against);

/// Groups of all-reduces: summands go up each tree, sums come down the same one.
[[nodiscard]] std::optional<Found> flowing_all_reduce(const Ground& ground,
                                                      std::span<const Group> groups,
                                                      const Effort& effort);

/// As exchange(): each piece along a way of its own, or several, all at once.
[[nodiscard]] std::optional<Found> flowing_exchange(const Ground& ground,
                                                    std::span<const Group> groups,
                                                    const Effort& effort);

}  // namespace orrery::synthesis
