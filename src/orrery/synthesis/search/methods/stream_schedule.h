// SPDX-License-Identifier: Apache-2.0
//
// Schedules in which all flows at once: each piece along its tree or way, cut into parts that
// follow each other, at a rate that leaves room for all others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/search/routes/piece_routes.h"
#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// Streams and what they are cut into.
struct StreamTask {
  const FabricState& fabric;
  std::span<const Group> groups;
  const RouteGraph& route_graph;
  /// By stream, its ways in an order in which senders have got what they hand on. `adds`: the first
  /// half of each stream's ways bring summands, the others the sum.
  const PieceRoutes& piece_routes;
  std::vector<std::int64_t> bytes;  ///< by stream, about
  /// The pieces where each stream is cut into so many: those of stream i are `parts` i to
  /// `parts` (i + 1).
  std::function<std::vector<Piece>(std::int64_t parts)> pieces;
  bool adds = false;
  std::size_t most_sends = 2'100'000;
};

/// All parts of all streams: part k of each starts a slot after part k - 1, and a device hands on
/// what has come. In each slot a link carries one part of every stream that it is in, so a slot is
/// as long as the busiest link needs for these; all take all of it, at a constant rate. That takes
///
///   (parts + the longest chain of hops - 1) slots, and the latency along it.
///
/// `parts`: 0 takes the fewest that are within 1 % of the best that `most_sends` allows. Empty:
/// it takes `limit` or longer, pieces are too small to be cut, or links too slow for so many
/// streams. O(sends log sends).
[[nodiscard]] std::optional<Schedule> schedule_streams(const StreamTask& task, std::int64_t parts,
                                                       Time limit);

}  // namespace orrery::synthesis
