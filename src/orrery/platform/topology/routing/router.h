// SPDX-License-Identifier: Apache-2.0
//
// Which way a message takes, of all that there are.
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

/// How one of several ways is chosen.
enum class RoutePolicy : std::uint8_t {
  known,     ///< as whoever made the fabric says (dimension by dimension), else as ecmp
  ecmp,      ///< one of the shortest, by a hash of both ends and the seed
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
                     "dimension by dimension where the fabric has such"},
    RoutePolicyEntry{"ecmp", RoutePolicy::ecmp, "one of the shortest ways, by a hash"},
    RoutePolicyEntry{"spray", RoutePolicy::spray, "evenly over all shortest ways"},
    RoutePolicyEntry{"adaptive", RoutePolicy::adaptive, "of the shortest ways the least loaded"},
    RoutePolicyEntry{"valiant", RoutePolicy::valiant, "by way of somewhere else, by a hash"},
    RoutePolicyEntry{"ugal", RoutePolicy::ugal,
                     "the shortest, or by way of somewhere else if less loaded"}};

/// A way that somebody has set: all nodes, both ends among them.
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

/// A link of a way, and which part of the bytes it carries.
struct RouteLink {
  LinkIndex link = 0;
  double share = 1;

  friend bool operator==(const RouteLink&, const RouteLink&) = default;
};

/// What a message has that is alone on a way, in bytes per second; infinite without a link.
[[nodiscard]] double route_capacity(const Topology& topology, std::span<const RouteLink> route);

/// How busy links are; for policies that look.
class LinkLoads {
 public:
  virtual ~LinkLoads() = default;
  /// Of its capacity, what is asked for: 1 is all of it.
  [[nodiscard]] virtual double load(LinkIndex link) const = 0;
};

/// Finds ways. A way depends on both ends, on the seed, on which links are down, and, where the
/// policy looks, on loads; never on what was asked before. Of links that are alike the one whose
/// hash is highest is taken (rendezvous hashing), so that a link that goes down moves those ways
/// alone that it was part of. Not thread-safe.
class Router {
 public:
  /// `down`: see ShortestRoutes. The topology must outlive this.
  Router(const Topology& topology, Routing routing, std::vector<bool> down = {});

  /// The way from one node to another, in order; of a sprayed one each link after those that lead
  /// to it. False: there is none. `from` is not `to`.
  [[nodiscard]] bool find(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out,
                          const LinkLoads* loads = nullptr) const;
  /// It asks for loads.
  [[nodiscard]] bool needs_loads() const {
    return routing_.policy == RoutePolicy::adaptive || routing_.policy == RoutePolicy::ugal;
  }
  [[nodiscard]] bool is_down(LinkIndex link) const { return !down_.empty() && down_[link]; }
  [[nodiscard]] const ShortestRoutes& shortest() const { return shortest_; }

 private:
  [[nodiscard]] bool find_fixed(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out) const;
  [[nodiscard]] bool find_by_formula(NodeIndex from, NodeIndex to,
                                     std::vector<RouteLink>& out) const;
  [[nodiscard]] bool walk(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out,
                          const LinkLoads* loads) const;
  [[nodiscard]] bool find_sprayed(NodeIndex from, NodeIndex to, std::vector<RouteLink>& out) const;
  [[nodiscard]] bool find_via_midpoint(NodeIndex from, NodeIndex to,
                                       std::vector<RouteLink>& out) const;
  [[nodiscard]] LinkIndex choose(std::span<const LinkIndex> links, std::uint64_t key) const;

  const Topology& topology_;
  Routing routing_;
  std::vector<bool> down_;
  ShortestRoutes shortest_;
  std::vector<NodeIndex> midpoints_;  // for valiant: leaves, else switches, else devices
  std::map<std::pair<NodeIndex, NodeIndex>, std::size_t> set_;
  mutable std::vector<LinkIndex> next_;
};

/// The same number from the same numbers, on every machine.
[[nodiscard]] std::uint64_t hash_pair(std::uint64_t a, std::uint64_t b);

}  // namespace orrery::platform
