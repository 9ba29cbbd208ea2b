// SPDX-License-Identifier: Apache-2.0
//
// Who can send to whom: ways from device to device, over links and switches that keep nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/synthesis/schedules/schedule.h"

namespace orrery::synthesis {

/// A wire of a way, and how much later than by the shortest of all ways over it something is on it.
struct LinkUse {
  std::uint32_t wire = 0;
  Time later{};
};

/// Stores are devices that keep what they get and send it on, counted from 0. Ways are ordered by
/// `from`; those that leave store i are `out_offsets[i]` to `out_offsets[i + 1]`. All that share a
/// link hold it from their start until their bytes and `LinkUse::later` have passed: since every
/// way over it meets it at least as late as the earliest does, nothing is on it twice.
struct RouteGraph {
  std::vector<NodeIndex> stores;
  std::vector<std::uint32_t> store_of;  ///< by node; kNoStore: it keeps nothing
  static constexpr std::uint32_t kNoStore = ~0U;
  std::vector<Route> routes;            ///< of nodes, as schedules have them
  std::vector<std::uint32_t> from, to;  ///< by way: stores
  /// By way: its place among those that leave a store. Ways of one place have all other receivers
  /// where stores stand alike.
  std::vector<std::uint32_t> turn;
  std::vector<LinkUse> held;  ///< of ways, as Route::first and count say
  std::vector<std::uint32_t> out_offsets;
  std::vector<std::int64_t> room;  ///< by wire: its capacity in whole bytes per second

  [[nodiscard]] std::uint32_t store_count() const {
    return static_cast<std::uint32_t>(stores.size());
  }
  [[nodiscard]] std::span<const LinkUse> uses_of(std::uint32_t route) const {
    return std::span(held).subspan(routes[route].first, routes[route].count);
  }
};

struct RouteGraphOptions {
  /// Of stores that are equally far, each way takes only so many: its neighbours in the order of
  /// stores at distances of 1, 2, 4, …; 0: all.
  std::uint32_t peers = 16;
  bool all = false;                ///< also ways of more links than are needed
  std::uint32_t alternatives = 4;  ///< ways over other switches to the same store, at most
  std::size_t most = 8'000'000;    ///< ways in all; where there are more, none are answered
};

/// Ways of as few links as are needed so that every store reaches every other, or all that there
/// are. Empty ways: some store does not reach another, or there are too many.
[[nodiscard]] RouteGraph make_route_graph(const FabricState& fabric, std::vector<NodeIndex> stores,
                                          const RouteGraphOptions& options);

/// Members, then all other devices that reach them and are reached: who may relay.
[[nodiscard]] std::vector<NodeIndex> with_relays(const FabricState& fabric,
                                                 std::vector<NodeIndex> members);

/// Every way the other way round: who sent receives. Wires stay what they are.
[[nodiscard]] RouteGraph reversed(const FabricState& fabric, const RouteGraph& route_graph);

/// Whether every store reaches every other over ways of the reach.
[[nodiscard]] bool strongly_connected(const RouteGraph& route_graph);

}  // namespace orrery::synthesis
