// SPDX-License-Identifier: Apache-2.0
//
// Schedules in which all pieces move concurrently: each piece follows its tree or route, divided
// into consecutive parts, at a rate that leaves capacity for all others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/search/routes/piece_routes.h"
#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// Streams, and the division into parts.
struct StreamTask {
  const FabricState& fabric;
  std::span<const Group> groups;
  const RouteGraph& route_graph;
  /// By stream: its routes, in an order in which senders hold what they forward. `adds`: the first
  /// half of each stream's routes carries summands, the other half the sum.
  const PieceRoutes& piece_routes;
  std::vector<std::int64_t> bytes;  ///< approximate bytes by stream
  /// Returns the pieces if each stream is divided into `parts` parts: those of stream i are from
  /// `parts` × i to `parts` × (i + 1).
  std::function<std::vector<Piece>(std::int64_t parts)> pieces;
  bool adds = false;
  std::size_t max_sends = 2'100'000;
};

/// Schedules all parts of all streams. Part k of each stream starts one slot after part k - 1, and
/// a device forwards what it has received. In each slot a link carries one part of each of its
/// streams. A slot is thus as long as the busiest link needs for these parts; all parts use the
/// full slot at a constant rate. The duration is
///
///   (parts + the longest chain of hops - 1) slots, and the latency along it.
///
/// `parts`: 0 selects the smallest number within 1 % of the best duration that `max_sends` allows.
/// Empty if the duration is `limit` or more, pieces are too small to divide, or links are too slow
/// for so many streams. O(sends log sends).
[[nodiscard]] std::optional<Schedule> schedule_streams(const StreamTask& task, std::int64_t parts,
                                                       Time limit);

}  // namespace orrery::synthesis
