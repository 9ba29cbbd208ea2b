// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/reach.h"

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

  void run(const Ground& ground, NodeIndex start) {
    for (const NodeIndex node : order) {
      hops[node] = kUnseen;
      parents[node].clear();
    }
    order.assign(1, start);
    hops[start] = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const NodeIndex at = order[i];
      if (at != start && !hands_on(ground.topology->kind(at))) continue;
      for (std::uint32_t w = ground.first_out[at]; w < ground.first_out[at + 1]; ++w) {
        const NodeIndex to = ground.wires[w].to;
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
  Builder(const Ground& ground, std::vector<NodeIndex> stores, const ReachOptions& options)
      : ground_(ground), options_(options) {
    reach_.stores = std::move(stores);
    reach_.store_of.assign(ground.node_count(), Reach::kNoStore);
    for (std::uint32_t s = 0; s < reach_.stores.size(); ++s) reach_.store_of[reach_.stores[s]] = s;
    for (const Wire& wire : ground.wires)
      reach_.room.push_back(static_cast<std::int64_t>(std::min(wire.capacity, 0x1p62)));
  }

  Reach run() {
    // By how many links: so many more until all reach all.
    std::uint32_t hops = options_.all ? kUnseen - 1 : 1;
    for (;;) {
      const std::uint32_t next = add_all(hops);
      const bool too_many = reach_.ways.size() > options_.most;
      if (!too_many && strongly_connected(reach_)) break;
      if (too_many || next == kUnseen) {
        reach_.ways.clear();
        break;
      }
      hops = next;
    }
    set_later();
    return std::move(reach_);
  }

 private:
  /// Ways of up to so many links; how many the next longer ones have.
  std::uint32_t add_all(std::uint32_t most) {
    reach_.ways.clear();
    reach_.held.clear();
    reach_.from.clear();
    reach_.to.clear();
    reach_.turn.clear();
    reach_.first_out.assign(1, 0);
    Outward outward(ground_.node_count());
    std::uint32_t next = kUnseen;
    for (std::uint32_t s = 0; s < reach_.store_count() && reach_.ways.size() <= options_.most;
         ++s) {
      outward.run(ground_, reach_.stores[s]);
      std::map<std::uint32_t, std::vector<std::uint32_t>> by_hops;
      for (const NodeIndex node : outward.order) {
        const std::uint32_t other = reach_.store_of[node];
        if (other == Reach::kNoStore || other == s) continue;
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
      reach_.first_out.push_back(static_cast<std::uint32_t>(reach_.ways.size()));
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
    const NodeIndex to = reach_.stores[other];
    std::vector<std::vector<std::uint32_t>> paths;
    for (std::uint32_t choice = 0; choice < options_.alternatives; ++choice) {
      // The n-th of the last switches by the receiver, so that neighbours take others.
      std::vector<std::uint32_t> path;
      NodeIndex at = to;
      std::size_t pick = other + choice;
      while (at != reach_.stores[s]) {
        const auto& parents = outward.parents[at];
        path.push_back(parents[pick % parents.size()]);
        at = ground_.wires[path.back()].from;
        if (parents.size() > 1) pick = pick / parents.size() + choice;
      }
      std::reverse(path.begin(), path.end());
      if (std::find(paths.begin(), paths.end(), path) == paths.end())
        paths.push_back(std::move(path));
    }
    for (const auto& path : paths) {
      add_way(s, other, path);
      reach_.turn.push_back(turn);
    }
  }

  void add_way(std::uint32_t s, std::uint32_t other, const std::vector<std::uint32_t>& path) {
    Way way{reach_.stores[s],
            reach_.stores[other],
            std::numeric_limits<std::int64_t>::max(),
            {},
            static_cast<std::uint32_t>(reach_.held.size()),
            static_cast<std::uint32_t>(path.size())};
    for (const std::uint32_t wire : path) {
      way.rate = std::min(way.rate, reach_.room[wire]);
      reach_.held.push_back({wire, way.latency});
      way.latency += ground_.wires[wire].latency;
    }
    reach_.ways.push_back(way);
    reach_.from.push_back(s);
    reach_.to.push_back(other);
  }

  void set_later();

  const Ground& ground_;
  const ReachOptions& options_;
  Reach reach_;
};

/// `later` is the latency before the wire; from it goes what all ways over the wire have.
void subtract_least(Reach& reach) {
  std::vector<Time> least(reach.room.size(), kTimeMax);
  for (const Held& one : reach.held) least[one.wire] = std::min(least[one.wire], one.later);
  for (Held& one : reach.held) one.later -= least[one.wire];
}

/// Numbers in their order instead.
void number_turns(Reach& reach) {
  std::vector<std::uint32_t> turns = reach.turn;
  std::sort(turns.begin(), turns.end());
  turns.erase(std::unique(turns.begin(), turns.end()), turns.end());
  for (std::uint32_t& turn : reach.turn)
    turn = static_cast<std::uint32_t>(std::lower_bound(turns.begin(), turns.end(), turn) -
                                      turns.begin());
}

void Builder::set_later() {
  subtract_least(reach_);
  number_turns(reach_);
}

}  // namespace

Reach reach_of(const Ground& ground, std::vector<NodeIndex> stores, const ReachOptions& options) {
  return Builder(ground, std::move(stores), options).run();
}

std::vector<NodeIndex> with_relays(const Ground& ground, std::vector<NodeIndex> members) {
  std::vector<std::uint8_t> reached(ground.node_count());
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
        for (const Wire& wire : ground.out(at)) visit(wire.to);
      } else {
        for (const std::uint32_t wire : ground.into(at)) visit(ground.wires[wire].from);
      }
    }
  }
  for (const NodeIndex member : members) reached[member] = 0;
  for (const NodeIndex device : ground.topology->devices()) {
    if (reached[device] == 3) members.push_back(device);
  }
  return members;
}

Reach reversed(const Ground& ground, const Reach& reach) {
  Reach other;
  other.stores = reach.stores;
  other.store_of = reach.store_of;
  other.room = reach.room;
  const std::size_t ways = reach.ways.size();
  std::vector<std::uint32_t> order(ways);
  for (std::uint32_t way = 0; way < ways; ++way) order[way] = way;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return reach.to[a] < reach.to[b]; });
  other.first_out.assign(reach.stores.size() + 1, 0);
  for (const std::uint32_t old : order) {
    Way way = reach.ways[old];
    std::swap(way.from, way.to);
    way.first = static_cast<std::uint32_t>(other.held.size());
    const auto held = reach.held_by(old);
    Time latency{};
    for (std::size_t i = held.size(); i-- > 0;) {
      other.held.push_back({held[i].wire, latency});
      latency += ground.wires[held[i].wire].latency;
    }
    other.ways.push_back(way);
    other.from.push_back(reach.to[old]);
    other.to.push_back(reach.from[old]);
    other.turn.push_back(reach.turn[old]);
    ++other.first_out[reach.to[old] + std::size_t{1}];
  }
  for (std::size_t s = 0; s < reach.stores.size(); ++s)
    other.first_out[s + 1] += other.first_out[s];
  subtract_least(other);
  return other;
}

bool strongly_connected(const Reach& reach) {
  const std::uint32_t stores = reach.store_count();
  for (const bool forward : {true, false}) {
    // Backwards over an index of its own would cost more than some rounds over all ways.
    std::vector<std::vector<std::uint32_t>> next(stores);
    for (std::uint32_t way = 0; way < reach.ways.size(); ++way) {
      const std::uint32_t a = forward ? reach.from[way] : reach.to[way];
      const std::uint32_t b = forward ? reach.to[way] : reach.from[way];
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
