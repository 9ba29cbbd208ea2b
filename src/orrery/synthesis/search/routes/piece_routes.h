// SPDX-License-Identifier: Apache-2.0
//
// A way for each piece of an all-to-all, so that links are about evenly busy. Private to
// exchange().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// Ways of pieces, one after another: piece i takes `ways[first[i]]` to `ways[first[i + 1]]`.
struct PieceRoutes {
  std::vector<std::uint32_t> first, routes;
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t piece) const {
    return std::span(routes).subspan(first[piece], first[piece + 1] - first[piece]);
  }
};

/// Pieces are grouped by where they start, and there by their groups. `members` by group and store:
/// who hands on pieces of the group; empty: every store. Empty `first`: some piece has no way.
[[nodiscard]] PieceRoutes find_piece_routes(const RouteGraph& route_graph,
                                            std::span<const Piece> pieces,
                                            std::span<const std::vector<bool>> members = {});

}  // namespace orrery::synthesis
