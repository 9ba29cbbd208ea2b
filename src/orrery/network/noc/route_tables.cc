// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "orrery/network/noc/noc_routing.h"

namespace orrery::noc {

namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

/// Links that are not down, by the router that they leave or enter.
struct LinksOf {
  std::vector<std::vector<std::uint32_t>> out, in;

  explicit LinksOf(const NocGraph& graph) : out(graph.router_count()), in(graph.router_count()) {
    for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
      if (graph.links[i].is_down) continue;
      out[graph.links[i].from].push_back(i);
      in[graph.links[i].to].push_back(i);
    }
  }
};

/// Number of links from each state to `to`. States: routers, of which a packet may leave by every
/// link; then, if `goes_down` is not empty, routers that it may only leave by links down.
std::vector<std::uint32_t> distances(const NocGraph& graph, const LinksOf& links, std::uint32_t to,
                                     const std::vector<bool>& goes_down) {
  const std::uint32_t routers = graph.router_count();
  const bool two = !goes_down.empty();
  std::vector<std::uint32_t> found(two ? 2 * routers : routers, kFar), queue{to};
  found[to] = 0;
  if (two) {
    found[to + routers] = 0;
    queue.push_back(to + routers);
  }
  const auto reach = [&](std::uint32_t state, std::uint32_t distance) {
    if (found[state] != kFar) return;
    found[state] = distance;
    queue.push_back(state);
  };
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t state = queue[i], distance = found[state] + 1;
    for (const std::uint32_t link : links.in[state % routers]) {
      const std::uint32_t from = graph.links[link].from;
      if (!two) {
        reach(from, distance);
      } else if (state >= routers) {
        // The link before led down, and may follow links up or down.
        if (goes_down[link]) {
          reach(from, distance);
          reach(from + routers, distance);
        }
      } else if (!goes_down[link]) {
        reach(from, distance);
      }
    }
  }
  return found;
}

/// The lowest port that leads nearer.
std::uint16_t next_port(const NocGraph& graph, const LinksOf& links,
                        const std::vector<std::uint32_t>& distance, std::uint32_t router, bool down,
                        const std::vector<bool>& goes_down) {
  const std::uint32_t routers = graph.router_count();
  const std::uint32_t here = distance[router + (down ? routers : 0)];
  std::uint16_t best = RouteTable::kNoPort;
  if (here == kFar || here == 0) return best;
  for (const std::uint32_t number : links.out[router]) {
    const NocLink& link = graph.links[number];
    const bool leads_down = !goes_down.empty() && goes_down[number];
    if (down && !leads_down) continue;
    if (distance[link.to + (leads_down ? routers : 0)] == here - 1)
      best = std::min(best, static_cast<std::uint16_t>(link.from_port));
  }
  return best;
}

RouteTable find_routes(const NocGraph& graph, const LinksOf& links,
                       const std::vector<bool>& goes_down) {
  const std::uint32_t routers = graph.router_count();
  RouteTable made;
  made.ports.assign(std::size_t{routers} * routers, RouteTable::kNoPort);
  if (!goes_down.empty()) made.ports_down = made.ports;
  std::vector<bool> is_end(routers, false);
  for (const NocNode& node : graph.nodes) is_end[node.router] = true;
  for (std::uint32_t to = 0; to < routers; ++to) {
    if (!is_end[to]) continue;
    const std::vector<std::uint32_t> distance = distances(graph, links, to, goes_down);
    for (std::uint32_t from = 0; from < routers; ++from) {
      const std::size_t entry = std::size_t{from} * routers + to;
      made.ports[entry] = next_port(graph, links, distance, from, false, goes_down);
      if (!goes_down.empty())
        made.ports_down[entry] = next_port(graph, links, distance, from, true, goes_down);
    }
  }
  return made;
}

}  // namespace

RouteTable shortest_routes(const NocGraph& graph) { return find_routes(graph, LinksOf(graph), {}); }

RouteTable up_down_routes(const NocGraph& graph, std::vector<bool>& goes_down) {
  const LinksOf links(graph);
  // Levels of the tree: the distance from router 0, then the number of the router.
  std::vector<std::uint32_t> level(graph.router_count(), kFar), queue{0};
  level[0] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t link : links.out[queue[i]]) {
      const std::uint32_t to = graph.links[link].to;
      if (level[to] != kFar) continue;
      level[to] = level[queue[i]] + 1;
      queue.push_back(to);
    }
  }
  goes_down.clear();
  for (const NocLink& link : graph.links)
    goes_down.push_back(std::pair(level[link.to], link.to) >
                        std::pair(level[link.from], link.from));
  return find_routes(graph, links, goes_down);
}

}  // namespace orrery::noc
