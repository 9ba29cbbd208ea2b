// SPDX-License-Identifier: Apache-2.0
//
// Selects the route of a message among all possible routes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/platform/topology/routing/shortest_routes.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// How one of several routes is chosen.
enum class RoutePolicy : std::uint8_t {
  known,     ///< the fabric's own formula (dimension by dimension), else as ecmp
  ecmp,      ///< one of the shortest, by a hash of both ends and the seed
  d_mod_k,   ///< one of the shortest, by the number of the destination's port; grids as known
  spray,     ///< all of the shortest: at each node the bytes go evenly to all links
  adaptive,  ///< of the shortest, at each node the link with the least load for its capacity
  valiant,   ///< by way of a node that the hash chooses; both parts as ecmp
  ugal,      ///< as ecmp, or as valiant where that meets less load for its hops
};

struct RoutePolicyEntry {
  std::string_view word;
  RoutePolicy policy;
  std::string_view about;
};
inline constexpr std::array kRoutePolicies{
    RoutePolicyEntry{"known", RoutePolicy::known,
                     "dimension by dimension if the fabric has dimensions, else as ecmp"},
    RoutePolicyEntry{"ecmp", RoutePolicy::ecmp, "one of the shortest paths, chosen by a hash"},
    RoutePolicyEntry{"d_mod_k", RoutePolicy::d_mod_k,
                     "one of the shortest paths, by destination, evenly; in grids as known"},
    RoutePolicyEntry{"spray", RoutePolicy::spray, "evenly over all shortest paths"},
    RoutePolicyEntry{"adaptive", RoutePolicy::adaptive, "the least loaded of the shortest paths"},
    RoutePolicyEntry{"valiant", RoutePolicy::valiant,
                     "via an intermediate switch, chosen by a hash"},
    RoutePolicyEntry{"ugal", RoutePolicy::ugal,
                     "a shortest path, or via an intermediate switch if that path is less loaded"}};

/// Whether the policy selects among several routes by a hash. `is_split`: messages are split over
/// several routes if the policy says so.
[[nodiscard]] bool uses_hash(RoutePolicy policy, const Topology& topology, bool is_split);

/// A route that is configured: all nodes, including both ends.
struct FixedRoute {
  std::vector<NodeIndex> nodes;

  friend bool operator==(const FixedRoute&, const FixedRoute&) = default;
};

struct Routing {
  RoutePolicy policy = RoutePolicy::known;
  std::uint64_t seed = 1;
  std::vector<FixedRoute> fixed_routes;  ///< these come first, whatever the policy

  friend bool operator==(const Routing&, const Routing&) = default;
};

/// A link of a route, and its share of the bytes.
struct RouteLink {
  LinkIndex link = 0;
  double share = 1;

  friend bool operator==(const RouteLink&, const RouteLink&) = default;
};

/// Bandwidth of a message alone on the route, in bytes per second; infinite without a link.
[[nodiscard]] double route_capacity(const Topology& topology, std::span<const RouteLink> route);

/// Loads of links, for policies that depend on them.
class LinkLoads {
 public:
  virtual ~LinkLoads() = default;
  /// Requested bandwidth divided by capacity: 1 is full load.
  [[nodiscard]] virtual double load(LinkIndex link) const = 0;
};

/// Finds routes. A route depends on both ends, the seed, the links that are down and, for some
/// policies, the loads; never on earlier calls. Of equivalent links, the one with the highest hash
/// is selected (rendezvous hashing). By destination, a link is selected among those that there are
/// without faults, and among the remaining ones only if it is down. So a link that goes down moves
/// only its own routes. Not thread-safe.
///
/// Routes by destination (RoutePolicy::d_mod_k) follow Zahavi, "D-Mod-K routing providing
/// non-blocking traffic for shift permutations on real life fat trees", 2010: a switch of a tier
/// sends a message for the end port j (end_port_numbers.h) up its port
///
///   floor(j / (product of the numbers of ports up from the tiers below)) mod (ports up),
///
/// and of parallel links down the one that has the same number on the way up.
class Router {
 public:
  /// `down`: see ShortestRoutes. The topology must outlive this.
  Router(const Topology& topology, Routing routing, std::vector<bool> down = {});

  /// The route from one node to another, in order; sprayed: each link after those that lead to it.
  /// False: there is no route. `from` is not `to`.
  [[nodiscard]] bool find(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out,
                          const LinkLoads* loads = nullptr) const;
  /// Whether the policy depends on loads.
  [[nodiscard]] bool needs_loads() const {
    return routing_.policy == RoutePolicy::adaptive || routing_.policy == RoutePolicy::ugal;
  }
  [[nodiscard]] bool is_down(LinkIndex link) const { return !down_.empty() && down_[link]; }
  [[nodiscard]] const ShortestRoutes& shortest() const { return shortest_; }

 private:
  [[nodiscard]] bool find_fixed(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out) const;
  [[nodiscard]] bool find_by_formula(NodeIndex from, NodeIndex to,
                                     std::vector<RouteLink>& out) const;
  [[nodiscard]] bool follow_shortest(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out,
                                     const LinkLoads* loads) const;
  [[nodiscard]] bool find_by_destination(NodeIndex from, NodeIndex to,
                                         std::vector<RouteLink>& out) const;
  [[nodiscard]] bool find_sprayed(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out) const;
  [[nodiscard]] bool find_via_midpoint(NodeIndex from, NodeIndex to,
                                       std::vector<RouteLink>& out) const;
  /// Of links that are all on routes from `from` to `to`.
  [[nodiscard]] LinkIndex choose(std::span<const LinkIndex> links, NodeIndex from,
                                 NodeIndex to) const;

  const Topology& topology_;
  Routing routing_;
  std::vector<bool> down_;
  ShortestRoutes shortest_;
  std::unique_ptr<const ShortestRoutes> without_faults_;  // for d_mod_k; null: no link is down
  std::vector<std::uint32_t> port_numbers_;               // for d_mod_k: by node
  std::vector<NodeIndex> midpoints_;  // for valiant: leaves, else switches, else devices
  std::map<std::pair<NodeIndex, NodeIndex>, std::size_t> fixed_;
  mutable std::vector<LinkIndex> next_, healthy_;
};

/// Deterministic on every machine.
[[nodiscard]] std::uint64_t hash_pair(std::uint64_t a, std::uint64_t b);

}  // namespace orrery::platform
