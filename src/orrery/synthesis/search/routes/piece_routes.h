// SPDX-License-Identifier: Apache-2.0
//
// Finds a route for each piece of an all-to-all, so that links have similar load. Private to
// exchange().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// The routes of pieces in sequence: piece i has `routes[first[i]]` to `routes[first[i + 1]]`.
struct PieceRoutes {
  std::vector<std::uint32_t> first, routes;
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t piece) const {
    return std::span(routes).subspan(first[piece], first[piece + 1] - first[piece]);
  }
};

/// `pieces` must be sorted by origin, then by group. `members`, by group and store: the stores that
/// forward pieces of the group; empty: every store. Returns an empty `first` if a piece has no
/// route.
[[nodiscard]] PieceRoutes find_piece_routes(const RouteGraph& route_graph,
                                            std::span<const Piece> pieces,
                                            std::span<const std::vector<bool>> members = {});

}  // namespace orrery::synthesis
