// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/routes/route_graph.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace orrery::synthesis {

namespace {

using platform::NodeClass;

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

/// A breadth-first search from one store, over nodes that do not store pieces.
struct RouteSearch {
  std::vector<std::uint32_t> hops;
  std::vector<std::vector<std::uint32_t>> parents;  // by node: last wires of its shortest routes
  std::vector<NodeIndex> order;

  explicit RouteSearch(NodeIndex nodes) : hops(nodes, kUnseen), parents(nodes) {}

  void run(const FabricState& fabric, NodeIndex start) {
    for (const NodeIndex node : order) {
      hops[node] = kUnseen;
      parents[node].clear();
    }
    order.assign(1, start);
    hops[start] = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const NodeIndex at = order[i];
      if (at != start && !is_transit(fabric.topology->kind(at))) continue;
      for (std::uint32_t w = fabric.out_offsets[at]; w < fabric.out_offsets[at + 1]; ++w) {
        const NodeIndex to = fabric.wires[w].to;
        if (hops[to] == kUnseen) {
          hops[to] = hops[at] + 1;
          order.push_back(to);
        }
        if (hops[to] == hops[at] + 1) parents[to].push_back(w);
      }
    }
  }
};

/// `extra_delay` is the latency before the wire: subtracts the minimum over all routes that use the
/// wire.
void subtract_minimum(RouteGraph& route_graph) {
  std::vector<Time> least(route_graph.capacity.size(), kTimeMax);
  for (const LinkUse& one : route_graph.link_uses)
    least[one.wire] = std::min(least[one.wire], one.extra_delay);
  for (LinkUse& one : route_graph.link_uses) one.extra_delay -= least[one.wire];
}

/// Replaces the values of `receiver_order` by consecutive numbers in the same order.
void number_receivers(RouteGraph& route_graph) {
  std::vector<std::uint32_t> orders = route_graph.receiver_order;
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  for (std::uint32_t& order : route_graph.receiver_order)
    order = static_cast<std::uint32_t>(std::lower_bound(orders.begin(), orders.end(), order) -
                                       orders.begin());
}

/// Whether every store reaches every other over the routes of the graph.
bool strongly_connected(const RouteGraph& route_graph) {
  const std::uint32_t stores = route_graph.store_count();
  for (const bool forward : {true, false}) {
    // A reverse index would cost more than several rounds over all routes.
    std::vector<std::vector<std::uint32_t>> next(stores);
    for (std::uint32_t route = 0; route < route_graph.routes.size(); ++route) {
      const std::uint32_t a = forward ? route_graph.from[route] : route_graph.to[route];
      const std::uint32_t b = forward ? route_graph.to[route] : route_graph.from[route];
      if (next[a].empty() || next[a].back() != b) next[a].push_back(b);
    }
    std::vector<bool> seen(stores);
    std::vector<std::uint32_t> order{0};
    seen[0] = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const std::uint32_t other : next[order[i]]) {
        if (!seen[other]) order.push_back(other);
        seen[other] = true;
      }
    }
    if (order.size() < stores) return false;
  }
  return true;
}

class RouteGraphBuilder {
 public:
  RouteGraphBuilder(const FabricState& fabric, std::vector<NodeIndex> stores,
                    const RouteGraphOptions& options)
      : fabric_(fabric),
        options_(options),
        route_graph_(graph_of_stores(fabric, std::move(stores))) {}

  RouteGraph run() {
    // Increases the number of links until all stores reach each other.
    std::uint32_t hops = options_.all_routes ? kUnseen - 1 : 1;
    for (;;) {
      const std::uint32_t next = add_all(hops);
      const bool too_many = route_graph_.routes.size() > options_.max_routes;
      if (!too_many && strongly_connected(route_graph_)) break;
      if (too_many || next == kUnseen) {
        route_graph_.routes.clear();
        break;
      }
      hops = next;
    }
    subtract_minimum(route_graph_);
    number_receivers(route_graph_);
    return std::move(route_graph_);
  }

 private:
  /// Adds all routes of up to `most` links; returns the number of links of the next longer ones.
  std::uint32_t add_all(std::uint32_t most) {
    route_graph_.routes.clear();
    route_graph_.link_uses.clear();
    route_graph_.from.clear();
    route_graph_.to.clear();
    route_graph_.receiver_order.clear();
    route_graph_.out_offsets.assign(1, 0);
    RouteSearch search(fabric_.node_count());
    std::uint32_t next = kUnseen;
    for (std::uint32_t s = 0;
         s < route_graph_.store_count() && route_graph_.routes.size() <= options_.max_routes; ++s) {
      search.run(fabric_, route_graph_.stores[s]);
      std::map<std::uint32_t, std::vector<std::uint32_t>> by_hops;
      for (const NodeIndex node : search.order) {
        const std::uint32_t other = route_graph_.store_of[node];
        if (other == RouteGraph::kNoStore || other == s) continue;
        if (search.hops[node] > most) {
          next = std::min(next, search.hops[node]);
        } else {
          by_hops[search.hops[node]].push_back(other);
        }
      }
      for (auto& [hops, others] : by_hops) {
        std::sort(others.begin(), others.end());
        std::uint32_t order = hops << 16;
        for (const std::uint32_t other : receivers_of(others, s, hops))
          add_routes(search, s, other, order++);
      }
      route_graph_.out_offsets.push_back(static_cast<std::uint32_t>(route_graph_.routes.size()));
    }
    return next;
  }

  /// Selects receivers among equally far stores, in order of their distance from store `s`.
  [[nodiscard]] std::vector<std::uint32_t> receivers_of(const std::vector<std::uint32_t>& others,
                                                        std::uint32_t s, std::uint32_t hops) const {
    const std::size_t count = others.size();
    const auto at = static_cast<std::size_t>(std::lower_bound(others.begin(), others.end(), s) -
                                             others.begin());
    std::vector<std::uint32_t> rotated;
    if (hops == 1 || options_.max_peers == 0 || count <= options_.max_peers) {
      for (std::size_t i = 0; i < count; ++i) rotated.push_back(others[(at + i) % count]);
      return rotated;
    }
    for (std::size_t step = 1; step <= count / 2 && rotated.size() + 2 <= options_.max_peers;
         step *= 2) {
      rotated.push_back(others[(at + step - 1) % count]);
      rotated.push_back(others[(at + count - step) % count]);
    }
    // At half the number of stores, both directions give the same store.
    if (rotated.size() > 1 && rotated.back() == rotated[rotated.size() - 2]) rotated.pop_back();
    return rotated;
  }

  void add_routes(const RouteSearch& search, std::uint32_t s, std::uint32_t other,
                  std::uint32_t order) {
    const NodeIndex to = route_graph_.stores[other];
    std::vector<std::vector<std::uint32_t>> paths;
    for (std::uint32_t choice = 0; choice < options_.max_alternatives; ++choice) {
      // The receiver's number selects among the last switches, so that neighbors use different
      // ones.
      std::vector<std::uint32_t> path;
      NodeIndex at = to;
      std::size_t pick = other + choice;
      while (at != route_graph_.stores[s]) {
        const auto& parents = search.parents[at];
        path.push_back(parents[pick % parents.size()]);
        at = fabric_.wires[path.back()].from;
        if (parents.size() > 1) pick = pick / parents.size() + choice;
      }
      std::reverse(path.begin(), path.end());
      if (std::find(paths.begin(), paths.end(), path) == paths.end())
        paths.push_back(std::move(path));
    }
    for (const auto& path : paths) {
      append_route(fabric_, route_graph_, s, other, path);
      route_graph_.receiver_order.push_back(order);
    }
  }

  const FabricState& fabric_;
  const RouteGraphOptions& options_;
  RouteGraph route_graph_;
};

}  // namespace

bool is_transit(NodeClass kind) { return kind != NodeClass::device && kind != NodeClass::memory; }

RouteGraph graph_of_stores(const FabricState& fabric, std::vector<NodeIndex> stores) {
  RouteGraph graph;
  graph.stores = std::move(stores);
  graph.store_of.assign(fabric.node_count(), RouteGraph::kNoStore);
  for (std::uint32_t s = 0; s < graph.stores.size(); ++s) graph.store_of[graph.stores[s]] = s;
  for (const Wire& wire : fabric.wires) graph.capacity.push_back(wire.rate());
  return graph;
}

void append_route(const FabricState& fabric, RouteGraph& graph, std::uint32_t from,
                  std::uint32_t to, std::span<const std::uint32_t> wires) {
  Route route{graph.stores[from],
              graph.stores[to],
              std::numeric_limits<std::int64_t>::max(),
              {},
              static_cast<std::uint32_t>(graph.link_uses.size()),
              static_cast<std::uint32_t>(wires.size())};
  for (const std::uint32_t wire : wires) {
    route.rate = std::min(route.rate, graph.capacity[wire]);
    graph.link_uses.push_back({wire, route.latency});
    route.latency += fabric.wires[wire].latency;
  }
  graph.routes.push_back(route);
  graph.from.push_back(from);
  graph.to.push_back(to);
}

RouteGraph make_route_graph(const FabricState& fabric, std::vector<NodeIndex> stores,
                            const RouteGraphOptions& options) {
  return RouteGraphBuilder(fabric, std::move(stores), options).run();
}

std::vector<NodeIndex> with_relays(const FabricState& fabric, std::vector<NodeIndex> members) {
  std::vector<std::uint8_t> reached(fabric.node_count());
  for (const bool along : {true, false}) {
    const std::uint8_t bit = along ? 1 : 2;
    std::vector<NodeIndex> order{members.front()};
    reached[members.front()] |= bit;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto visit = [&](NodeIndex node) {
        if ((reached[node] & bit) == 0) order.push_back(node);
        reached[node] |= bit;
      };
      const NodeIndex at = order[i];
      if (along) {
        for (const Wire& wire : fabric.outgoing_wires(at)) visit(wire.to);
      } else {
        for (const std::uint32_t wire : fabric.incoming_wires(at)) visit(fabric.wires[wire].from);
      }
    }
  }
  for (const NodeIndex member : members) reached[member] = 0;
  for (const NodeIndex device : fabric.topology->devices()) {
    if (reached[device] == 3) members.push_back(device);
  }
  return members;
}

bool relays_are_near(const FabricState& fabric, const std::set<NodeIndex>& members) {
  return std::any_of(fabric.wires.begin(), fabric.wires.end(), [&](const Wire& wire) {
    return members.contains(wire.from) && !members.contains(wire.to) &&
           fabric.topology->kind(wire.to) == NodeClass::device;
  });
}

RouteGraph reversed(const FabricState& fabric, const RouteGraph& route_graph) {
  RouteGraph other;
  other.stores = route_graph.stores;
  other.store_of = route_graph.store_of;
  other.capacity = route_graph.capacity;
  const std::size_t routes = route_graph.routes.size();
  std::vector<std::uint32_t> order(routes);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return route_graph.to[a] < route_graph.to[b];
  });
  other.out_offsets.assign(route_graph.stores.size() + 1, 0);
  for (const std::uint32_t old : order) {
    Route route = route_graph.routes[old];
    std::swap(route.from, route.to);
    route.first = static_cast<std::uint32_t>(other.link_uses.size());
    const auto uses = route_graph.uses_of(old);
    Time latency{};
    for (std::size_t i = uses.size(); i-- > 0;) {
      other.link_uses.push_back({uses[i].wire, latency});
      latency += fabric.wires[uses[i].wire].latency;
    }
    other.routes.push_back(route);
    other.from.push_back(route_graph.to[old]);
    other.to.push_back(route_graph.from[old]);
    other.receiver_order.push_back(route_graph.receiver_order[old]);
    ++other.out_offsets[route_graph.to[old] + std::size_t{1}];
  }
  for (std::size_t s = 0; s < route_graph.stores.size(); ++s)
    other.out_offsets[s + 1] += other.out_offsets[s];
  subtract_minimum(other);
  return other;
}

}  // namespace orrery::synthesis
