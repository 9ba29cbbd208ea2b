// SPDX-License-Identifier: Apache-2.0
//
// Collectives as streams along trees and ways, in all directions at once. Private to gather(),
// exchange() and synthesise().
#pragma once

#include <optional>
#include <span>

#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

/// As gather(): each shard along trees of its own. Of several numbers of trees, and prices of
/// depth, the quickest; empty where there are too many stores or bytes too few, or `effort.chunks`
/// says otherwise.
[[nodiscard]] std::optional<SearchResult> stream_gather(const FabricState& fabric,
                                                        std::span<const Group> groups,
                                                        const SynthesisEffort& effort,
                                                        bool against);

/// Groups of all-reduces: summands go up each tree, sums come down the same one.
[[nodiscard]] std::optional<SearchResult> stream_all_reduce(const FabricState& fabric,
                                                            std::span<const Group> groups,
                                                            const SynthesisEffort& effort);

/// As exchange(): each piece along a way of its own, or several, all at once.
[[nodiscard]] std::optional<SearchResult> stream_exchange(const FabricState& fabric,
                                                          std::span<const Group> groups,
                                                          const SynthesisEffort& effort);

}  // namespace orrery::synthesis
