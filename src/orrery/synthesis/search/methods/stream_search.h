// SPDX-License-Identifier: Apache-2.0
//
// Collectives as streams along trees and routes, in all directions concurrently. Private to
// gather(), exchange() and synthesize().
#pragma once

#include <optional>
#include <span>

#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

/// As gather(), with separate trees for each shard. Tries several numbers of trees and prices of
/// depth, and returns the fastest schedule. Empty if there are too many stores, too few bytes, or
/// if `options.chunks` requires other pieces.
[[nodiscard]] std::optional<SearchResult> stream_gather(const FabricState& fabric,
                                                        std::span<const Group> groups,
                                                        const SearchOptions& options,
                                                        bool reverse_links);

/// All-reduces of all groups: each tree carries summands up and sums down.
[[nodiscard]] std::optional<SearchResult> stream_all_reduce(const FabricState& fabric,
                                                            std::span<const Group> groups,
                                                            const SearchOptions& options);

/// As exchange(), with one or several separate routes for each piece, all concurrently.
[[nodiscard]] std::optional<SearchResult> stream_exchange(const FabricState& fabric,
                                                          std::span<const Group> groups,
                                                          const SearchOptions& options);

}  // namespace orrery::synthesis
