// SPDX-License-Identifier: Apache-2.0
//
// What is sent when: a collective as pieces that go from device to device over links.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// All of a group's members, where a piece names one.
inline constexpr NodeIndex kAllMembers = ~NodeIndex{0};

/// Ranks that do one collective together.
struct Group {
  graph::CollectiveType type = graph::CollectiveType::all_gather;
  Bytes bytes{};  ///< the whole buffer (graph::full_buffer)
  std::vector<NodeIndex> members;
  std::uint32_t root = 0;  ///< its place among members; of broadcast and reduce
};

/// A part of a group's buffer that is sent as one. `from` has it, or everyone a contribution that
/// is added up; `to` needs it, or everyone does.
struct Piece {
  std::uint32_t group = 0;
  NodeIndex from = kAllMembers, to = kAllMembers;
  std::int64_t offset = 0;  ///< in the whole buffer (all-to-all: of `from`)
  std::int64_t bytes = 0;   ///< more than 0
};

/// From a device to another, over nothing that keeps what it gets. A piece takes the whole way at
/// one rate: link i is busy, with so much of its capacity, from the start and the latencies before
/// it on for as long as the bytes take.
struct Route {
  NodeIndex from = 0, to = 0;
  std::int64_t rate = 0;  ///< bytes per second
  Time latency{};
  std::uint32_t first = 0, count = 0;  ///< its wires in Schedule::wires
};

struct Send {
  std::uint32_t piece = 0;
  std::uint32_t route : 31;
  std::uint32_t reduces : 1;  ///< added to what is there; else in its place
  Time start{};
};

/// How long so many bytes take a link of so many bytes per second: rounded up, exact.
[[nodiscard]] inline Time transfer_duration(std::int64_t bytes, std::int64_t rate) {
  return Time(
      static_cast<std::int64_t>((static_cast<__int128>(bytes) * kPsPerSecond + rate - 1) / rate));
}

struct Schedule {
  std::vector<Group> groups;
  std::vector<Piece> pieces;
  std::vector<Route> routes;
  std::vector<std::uint32_t> wires;  ///< of ways, one after another; numbers in FabricState::wires
  std::vector<Send> sends;           ///< by start

  [[nodiscard]] std::span<const std::uint32_t> wires_of(const Route& route) const {
    return std::span(wires).subspan(route.first, route.count);
  }
  /// How long a send keeps each of its links.
  [[nodiscard]] Time duration(const Send& send) const;
  /// When all of it is there.
  [[nodiscard]] Time arrival(const Send& send) const {
    return send.start + duration(send) + routes[send.route].latency;
  }
  /// When the last is there; 0: there is nothing to send.
  [[nodiscard]] Time end() const;
};

/// By start; what starts together, by piece and way.
void sort_sends(std::vector<Send>& sends);

/// What is wrong with a schedule: an empty text if nothing is. Each device sends only what it has,
/// links carry no more than their capacity, every piece is in the end where it has to be, and holds
/// each contribution once. O(sends × (log sends + members / 64)).
[[nodiscard]] std::string schedule_error(const FabricState& fabric, const Schedule& schedule);

/// How busy links are: by wire, bytes that it carries.
[[nodiscard]] std::vector<std::int64_t> link_loads(const FabricState& fabric,
                                                   const Schedule& schedule);

/// The longest chain of sends that wait for each other: what is sent on by who got it counts one
/// more.
[[nodiscard]] std::uint32_t dependency_depth(const Schedule& schedule);

}  // namespace orrery::synthesis
