// SPDX-License-Identifier: Apache-2.0
//
// A schedule of a collective: which piece is sent from device to device over which links, and when.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// In a piece: all members of its group.
inline constexpr NodeIndex kAllMembers = ~NodeIndex{0};

/// Ranks that run one collective together.
struct Group {
  graph::CollectiveType type = graph::CollectiveType::all_gather;
  Bytes bytes{};  ///< the full buffer (graph::full_buffer)
  std::vector<NodeIndex> members;
  std::uint32_t root = 0;  ///< broadcast and reduce: index of the root in `members`
};

/// The first byte of part `part` of a buffer that is divided into `parts` parts.
[[nodiscard]] inline std::int64_t part_offset(Bytes buffer, std::int64_t part, std::int64_t parts) {
  return static_cast<std::int64_t>(static_cast<__int128>(buffer.count()) * part / parts);
}

/// A part of a group's buffer that is sent as a unit. `from` holds it at the start; kAllMembers:
/// every member holds a contribution to its sum. `to` needs it at the end; kAllMembers: every
/// member.
struct Piece {
  std::uint32_t group = 0;
  NodeIndex from = kAllMembers, to = kAllMembers;
  std::int64_t offset = 0;  ///< offset in the full buffer (all-to-all: in the buffer of `from`)
  std::int64_t bytes = 0;   ///< more than 0
};

/// A route from a device to another, over nodes that do not store pieces. A piece moves along it at
/// one rate. Each link is busy from the start plus the latencies before it, for the time that the
/// bytes need at this rate, with this share of its capacity.
struct Route {
  NodeIndex from = 0, to = 0;
  std::int64_t rate = 0;  ///< bytes per second
  Time latency{};
  std::uint32_t first = 0, count = 0;  ///< range of its wires in Schedule::wires
};

struct Send {
  std::uint32_t piece = 0;
  std::uint32_t route : 31;
  std::uint32_t reduces : 1;  ///< the receiver adds the piece to its own; 0: it stores the piece
  Time start{};
};

/// Time for `bytes` at `rate` bytes per second: exact, rounded up.
[[nodiscard]] inline Time transfer_duration(std::int64_t bytes, std::int64_t rate) {
  return Time(
      static_cast<std::int64_t>((static_cast<__int128>(bytes) * kPsPerSecond + rate - 1) / rate));
}

struct Schedule {
  std::vector<Group> groups;
  std::vector<Piece> pieces;
  std::vector<Route> routes;
  std::vector<std::uint32_t> wires;  ///< wires of all routes in sequence, as indices into
                                     ///< FabricState::wires
  std::vector<Send> sends;           ///< sorted by start

  [[nodiscard]] std::span<const std::uint32_t> wires_of(const Route& route) const {
    return std::span(wires).subspan(route.first, route.count);
  }
  /// The time for which a send occupies each of its links.
  [[nodiscard]] Time duration(const Send& send) const;
  /// The time at which all bytes have arrived.
  [[nodiscard]] Time arrival(const Send& send) const {
    return send.start + duration(send) + routes[send.route].latency;
  }
  /// The latest arrival; 0 without sends.
  [[nodiscard]] Time end() const;
};

/// Sorts by start, then by piece and route.
void sort_sends(std::vector<Send>& sends);

/// Returns the first error of a schedule, or an empty text. Checks that each device sends only
/// pieces that it holds, that links carry at most their capacity, and that every piece arrives
/// where it is needed, with each contribution once. O(sends × (log sends + members / 64)).
[[nodiscard]] std::string schedule_error(const FabricState& fabric, const Schedule& schedule);

/// Bytes that each wire carries, by wire.
[[nodiscard]] std::vector<std::int64_t> link_loads(const FabricState& fabric,
                                                   const Schedule& schedule);

/// The length of the longest chain of sends in which each forwards a piece that the previous one
/// delivered.
[[nodiscard]] std::uint32_t dependency_depth(const Schedule& schedule);

}  // namespace orrery::synthesis
