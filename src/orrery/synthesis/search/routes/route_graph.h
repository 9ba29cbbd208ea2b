// SPDX-License-Identifier: Apache-2.0
//
// The routes from device to device, over links and over switches that store nothing.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "orrery/synthesis/schedules/schedule.h"

namespace orrery::synthesis {

/// A wire of a route. `extra_delay`: how much later a piece reaches it than over the fastest of all
/// routes that use it.
struct LinkUse {
  std::uint32_t wire = 0;
  Time extra_delay{};
};

/// Stores are devices that store pieces and forward them, numbered from 0. Routes are ordered by
/// `from`; those that leave store i have indices from `out_offsets[i]` to `out_offsets[i + 1]`. A
/// route occupies each of its wires from its start until its bytes and `LinkUse::extra_delay` have
/// passed. Since every route reaches a wire at least as late as the fastest one, no two pieces use
/// a wire at the same time.
struct RouteGraph {
  std::vector<NodeIndex> stores;
  std::vector<std::uint32_t> store_of;  ///< by node; kNoStore: the node stores nothing
  static constexpr std::uint32_t kNoStore = ~0U;
  std::vector<Route> routes;            ///< routes between nodes, as in schedules
  std::vector<std::uint32_t> from, to;  ///< by route: its stores
  /// By route: its position among the routes that leave its store. If all stores have equivalent
  /// positions, routes with the same `receiver_order` have different receivers.
  std::vector<std::uint32_t> receiver_order;
  std::vector<LinkUse> link_uses;  ///< wires of routes, at Route::first and count
  std::vector<std::uint32_t> out_offsets;
  std::vector<std::int64_t> capacity;  ///< by wire: its capacity in bytes per second, rounded down

  [[nodiscard]] std::uint32_t store_count() const {
    return static_cast<std::uint32_t>(stores.size());
  }
  [[nodiscard]] std::span<const LinkUse> uses_of(std::uint32_t route) const {
    return std::span(link_uses).subspan(routes[route].first, routes[route].count);
  }
};

/// A graph of these stores without routes.
[[nodiscard]] RouteGraph graph_of_stores(const FabricState& fabric, std::vector<NodeIndex> stores);
/// Appends a route from a store to another over these wires. `LinkUse::extra_delay` is then the
/// latency before the wire.
void append_route(const FabricState& fabric, RouteGraph& graph, std::uint32_t from,
                  std::uint32_t to, std::span<const std::uint32_t> wires);
/// Whether nodes of this kind forward pieces without storing them.
[[nodiscard]] bool is_transit(platform::NodeClass kind);

struct RouteGraphOptions {
  /// Maximum number of stores at equal distance, more than one link away, to which a store has
  /// routes. It selects those at offsets of 1, 2, 4, … in the order of stores. 0: all.
  std::uint32_t max_peers = 16;
  bool all_routes = false;             ///< also uses routes with more links than necessary
  std::uint32_t max_alternatives = 4;  ///< maximum number of routes over different switches to the
                                       ///< same store
  std::size_t max_routes = 8'000'000;  ///< maximum number of routes; the result is empty if there
                                       ///< are more
};

/// Finds the routes with the fewest links over which every store reaches every other, or with
/// `all_routes` all routes. `routes` is empty if a store does not reach another, or if there are
/// too many.
[[nodiscard]] RouteGraph make_route_graph(const FabricState& fabric, std::vector<NodeIndex> stores,
                                          const RouteGraphOptions& options);

/// Members, then all other devices that reach them and are reached by them: possible relays.
[[nodiscard]] std::vector<NodeIndex> with_relays(const FabricState& fabric,
                                                 std::vector<NodeIndex> members);

/// Whether a device outside the groups has a direct link from a member.
[[nodiscard]] bool relays_are_near(const FabricState& fabric, const std::set<NodeIndex>& members);

/// Reverses every route: senders become receivers. Wires stay the same.
[[nodiscard]] RouteGraph reversed(const FabricState& fabric, const RouteGraph& route_graph);

}  // namespace orrery::synthesis
