// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/routes/route_graph.h"

#include <algorithm>
#include <limits>
#include <map>

namespace orrery::synthesis {

namespace {

using platform::NodeClass;

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

bool hands_on(NodeClass kind) { return kind != NodeClass::device && kind != NodeClass::memory; }

/// From one store outwards: links to every node, over nothing that keeps.
struct Outward {
  std::vector<std::uint32_t> hops;
  std::vector<std::vector<std::uint32_t>> parents;  // by node: wires of shortest ways
  std::vector<NodeIndex> order;

  explicit Outward(NodeIndex nodes) : hops(nodes, kUnseen), parents(nodes) {}

  void run(const FabricState& fabric, NodeIndex start) {
    for (const NodeIndex node : order) {
      hops[node] = kUnseen;
      parents[node].clear();
    }
    order.assign(1, start);
    hops[start] = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const NodeIndex at = order[i];
      if (at != start && !hands_on(fabric.topology->kind(at))) continue;
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

class Builder {
 public:
  Builder(const FabricState& fabric, std::vector<NodeIndex> stores,
          const RouteGraphOptions& options)
      : fabric_(fabric), options_(options) {
    route_graph_.stores = std::move(stores);
    route_graph_.store_of.assign(fabric.node_count(), RouteGraph::kNoStore);
    for (std::uint32_t s = 0; s < route_graph_.stores.size(); ++s)
      route_graph_.store_of[route_graph_.stores[s]] = s;
    for (const Wire& wire : fabric.wires)
      route_graph_.room.push_back(static_cast<std::int64_t>(std::min(wire.capacity, 0x1p62)));
  }

  RouteGraph run() {
    // By how many links: so many more until all reach all.
    std::uint32_t hops = options_.all ? kUnseen - 1 : 1;
    for (;;) {
      const std::uint32_t next = add_all(hops);
      const bool too_many = route_graph_.routes.size() > options_.most;
      if (!too_many && strongly_connected(route_graph_)) break;
      if (too_many || next == kUnseen) {
        route_graph_.routes.clear();
        break;
      }
      hops = next;
    }
    set_later();
    return std::move(route_graph_);
  }

 private:
  /// Ways of up to so many links; how many the next longer ones have.
  std::uint32_t add_all(std::uint32_t most) {
    route_graph_.routes.clear();
    route_graph_.held.clear();
    route_graph_.from.clear();
    route_graph_.to.clear();
    route_graph_.turn.clear();
    route_graph_.out_offsets.assign(1, 0);
    Outward outward(fabric_.node_count());
    std::uint32_t next = kUnseen;
    for (std::uint32_t s = 0;
         s < route_graph_.store_count() && route_graph_.routes.size() <= options_.most; ++s) {
      outward.run(fabric_, route_graph_.stores[s]);
      std::map<std::uint32_t, std::vector<std::uint32_t>> by_hops;
      for (const NodeIndex node : outward.order) {
        const std::uint32_t other = route_graph_.store_of[node];
        if (other == RouteGraph::kNoStore || other == s) continue;
        if (outward.hops[node] > most) {
          next = std::min(next, outward.hops[node]);
        } else {
          by_hops[outward.hops[node]].push_back(other);
        }
      }
      for (auto& [hops, others] : by_hops) {
        std::sort(others.begin(), others.end());
        std::uint32_t turn = hops << 16;
        for (const std::uint32_t other : chosen(others, s, hops))
          add_ways(outward, s, other, turn++);
      }
      route_graph_.out_offsets.push_back(static_cast<std::uint32_t>(route_graph_.routes.size()));
    }
    return next;
  }

  /// Of equally far stores, those that are talked to: nearest in order first.
  [[nodiscard]] std::vector<std::uint32_t> chosen(const std::vector<std::uint32_t>& others,
                                                  std::uint32_t s, std::uint32_t hops) const {
    const std::size_t count = others.size();
    const auto at = static_cast<std::size_t>(std::lower_bound(others.begin(), others.end(), s) -
                                             others.begin());
    std::vector<std::uint32_t> rotated;
    if (hops == 1 || options_.peers == 0 || count <= options_.peers) {
      for (std::size_t i = 0; i < count; ++i) rotated.push_back(others[(at + i) % count]);
      return rotated;
    }
    for (std::size_t step = 1; step <= count / 2 && rotated.size() + 2 <= options_.peers;
         step *= 2) {
      rotated.push_back(others[(at + step - 1) % count]);
      rotated.push_back(others[(at + count - step) % count]);
    }
    // Half round is as far either way.
    if (rotated.size() > 1 && rotated.back() == rotated[rotated.size() - 2]) rotated.pop_back();
    return rotated;
  }

  void add_ways(const Outward& outward, std::uint32_t s, std::uint32_t other, std::uint32_t turn) {
    const NodeIndex to = route_graph_.stores[other];
    std::vector<std::vector<std::uint32_t>> paths;
    for (std::uint32_t choice = 0; choice < options_.alternatives; ++choice) {
      // The n-th of the last switches by the receiver, so that neighbours take others.
      std::vector<std::uint32_t> path;
      NodeIndex at = to;
      std::size_t pick = other + choice;
      while (at != route_graph_.stores[s]) {
        const auto& parents = outward.parents[at];
        path.push_back(parents[pick % parents.size()]);
        at = fabric_.wires[path.back()].from;
        if (parents.size() > 1) pick = pick / parents.size() + choice;
      }
      std::reverse(path.begin(), path.end());
      if (std::find(paths.begin(), paths.end(), path) == paths.end())
        paths.push_back(std::move(path));
    }
    for (const auto& path : paths) {
      add_way(s, other, path);
      route_graph_.turn.push_back(turn);
    }
  }

  void add_way(std::uint32_t s, std::uint32_t other, const std::vector<std::uint32_t>& path) {
    Route route{route_graph_.stores[s],
                route_graph_.stores[other],
                std::numeric_limits<std::int64_t>::max(),
                {},
                static_cast<std::uint32_t>(route_graph_.held.size()),
                static_cast<std::uint32_t>(path.size())};
    for (const std::uint32_t wire : path) {
      route.rate = std::min(route.rate, route_graph_.room[wire]);
      route_graph_.held.push_back({wire, route.latency});
      route.latency += fabric_.wires[wire].latency;
    }
    route_graph_.routes.push_back(route);
    route_graph_.from.push_back(s);
    route_graph_.to.push_back(other);
  }

  void set_later();

  const FabricState& fabric_;
  const RouteGraphOptions& options_;
  RouteGraph route_graph_;
};

/// `later` is the latency before the wire; from it goes what all ways over the wire have.
void subtract_least(RouteGraph& route_graph) {
  std::vector<Time> least(route_graph.room.size(), kTimeMax);
  for (const LinkUse& one : route_graph.held)
    least[one.wire] = std::min(least[one.wire], one.later);
  for (LinkUse& one : route_graph.held) one.later -= least[one.wire];
}

/// Numbers in their order instead.
void number_turns(RouteGraph& route_graph) {
  std::vector<std::uint32_t> turns = route_graph.turn;
  std::sort(turns.begin(), turns.end());
  turns.erase(std::unique(turns.begin(), turns.end()), turns.end());
  for (std::uint32_t& turn : route_graph.turn)
    turn = static_cast<std::uint32_t>(std::lower_bound(turns.begin(), turns.end(), turn) -
                                      turns.begin());
}

void Builder::set_later() {
  subtract_least(route_graph_);
  number_turns(route_graph_);
}

}  // namespace

RouteGraph make_route_graph(const FabricState& fabric, std::vector<NodeIndex> stores,
                            const RouteGraphOptions& options) {
  return Builder(fabric, std::move(stores), options).run();
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
        for (const Wire& wire : fabric.out(at)) visit(wire.to);
      } else {
        for (const std::uint32_t wire : fabric.into(at)) visit(fabric.wires[wire].from);
      }
    }
  }
  for (const NodeIndex member : members) reached[member] = 0;
  for (const NodeIndex device : fabric.topology->devices()) {
    if (reached[device] == 3) members.push_back(device);
  }
  return members;
}

RouteGraph reversed(const FabricState& fabric, const RouteGraph& route_graph) {
  RouteGraph other;
  other.stores = route_graph.stores;
  other.store_of = route_graph.store_of;
  other.room = route_graph.room;
  const std::size_t routes = route_graph.routes.size();
  std::vector<std::uint32_t> order(routes);
  for (std::uint32_t route = 0; route < routes; ++route) order[route] = route;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return route_graph.to[a] < route_graph.to[b];
  });
  other.out_offsets.assign(route_graph.stores.size() + 1, 0);
  for (const std::uint32_t old : order) {
    Route route = route_graph.routes[old];
    std::swap(route.from, route.to);
    route.first = static_cast<std::uint32_t>(other.held.size());
    const auto held = route_graph.uses_of(old);
    Time latency{};
    for (std::size_t i = held.size(); i-- > 0;) {
      other.held.push_back({held[i].wire, latency});
      latency += fabric.wires[held[i].wire].latency;
    }
    other.routes.push_back(route);
    other.from.push_back(route_graph.to[old]);
    other.to.push_back(route_graph.from[old]);
    other.turn.push_back(route_graph.turn[old]);
    ++other.out_offsets[route_graph.to[old] + std::size_t{1}];
  }
  for (std::size_t s = 0; s < route_graph.stores.size(); ++s)
    other.out_offsets[s + 1] += other.out_offsets[s];
  subtract_least(other);
  return other;
}

bool strongly_connected(const RouteGraph& route_graph) {
  const std::uint32_t stores = route_graph.store_count();
  for (const bool forward : {true, false}) {
    // Backwards over an index of its own would cost more than some rounds over all ways.
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

}  // namespace orrery::synthesis
