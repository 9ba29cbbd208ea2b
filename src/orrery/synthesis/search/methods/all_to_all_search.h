// SPDX-License-Identifier: Apache-2.0
//
// The search for all-to-alls: a route for each piece, and the times of its sends.
#pragma once

#include <span>

#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

/// Generates concurrent all-to-alls of all groups. Devices forward pieces that are not for them.
/// Devices outside a group relay if its members do not reach each other otherwise.
///
/// Routes: each source in turn routes to all others over the cheapest routes, where a link costs
/// more the more load it has (as in the on-line routing of Awerbuch, Azar and Plotkin, 1993). Then
/// each source is routed again with the load of all others. Times: a link that becomes free sends
/// the waiting piece with the most remaining hops. Of pieces between the same devices, the nearest
/// receiver in the order of ranks is first, so that senders have different receivers. Errc:
/// config_conflict (no route between members), limit_exceeded (too large).
[[nodiscard]] Result<SearchResult> exchange(const FabricState& fabric,
                                            std::span<const Group> groups,
                                            const SearchOptions& options);

/// The pieces of all-to-alls: from each member to each other.
[[nodiscard]] std::vector<Piece> exchanged_pieces(std::span<const Group> groups,
                                                  std::int64_t chunks);

}  // namespace orrery::synthesis
