// SPDX-License-Identifier: Apache-2.0
//
// The search for all-to-alls: a way for each piece, and when it goes along it.
#pragma once

#include <span>

#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

/// Groups of all-to-alls, all at once. Devices that get a piece for another one send it on; others
/// relay where members do not reach each other without.
///
/// Ways: one source after another, to all others by the cheapest ways where a link costs the more
/// the busier those before have made it (as Awerbuch, Azar and Plotkin route on line, 1993); then
/// each is routed again, now that all others are known. When: a link that comes free takes of those
/// that wait for it the piece with the most still to go; of pieces between the same devices the
/// nearest receiver in the order of ranks is first, so that senders have other receivers.
/// Errc: config_conflict (no way from one to another), limit_exceeded (too large).
[[nodiscard]] Result<SearchResult> exchange(const FabricState& fabric,
                                            std::span<const Group> groups,
                                            const SynthesisEffort& effort);

/// All-to-all pieces: from each member to each other.
[[nodiscard]] std::vector<Piece> exchanged_pieces(std::span<const Group> groups,
                                                  std::int64_t chunks);

}  // namespace orrery::synthesis
