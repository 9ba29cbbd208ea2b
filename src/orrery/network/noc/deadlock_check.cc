// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/deadlock_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace orrery::noc {

namespace {

using platform::NocRouting;

/// A list that becomes a set, in ascending order, by unite(). What is inserted again and again is
/// united from time to time, so that the list is at most twice as long as the set.
struct VertexSet {
  std::vector<std::uint32_t> values;
  std::size_t limit = 16;

  void insert(std::uint32_t value) {
    if (!values.empty() && values.back() == value) return;
    values.push_back(value);
    if (values.size() >= limit) limit = 2 * unite().size() + 16;
  }
  std::vector<std::uint32_t>& unite() {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }
};

/// Channels as vertices: link × classes + class.
class Dependencies {
 public:
  Dependencies(const NocGraph& graph, const NocRoutes& routes)
      : graph_(graph),
        routes_(routes),
        classes_(static_cast<std::uint32_t>(routes.channel_classes().size())),
        next_(graph.links.size() * classes_),
        seen_(2 * next_.size(), 0),
        ports_(graph) {}

  void find() {
    std::vector<std::uint32_t> ends(graph_.router_count(), kNone);  // a node by router
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node)
      ends[graph_.nodes[node].router] = node;
    const bool two_phases = routes_.kind() == NocRouting::valiant;
    if (two_phases) {
      arrivals_.resize(graph_.router_count());
      departures_.resize(graph_.router_count());
    }
    for (const std::uint32_t end : ends) {
      if (end == kNone) continue;
      for (std::uint64_t key = 0; key < (graph_.has_ring() ? 1u << graph_.extents.size() : 1u);
           ++key)
        walk_variants(end, key, two_phases);
    }
    for (std::uint32_t router = 0; router < arrivals_.size(); ++router) {
      departures_[router].unite();
      for (const std::uint32_t from : arrivals_[router].unite()) {
        for (const std::uint32_t to : departures_[router].values) next_[from].insert(to);
      }
    }
    for (VertexSet& one : next_) one.unite();
  }

  [[nodiscard]] Result<void> result() {
    if (stuck_ != kNone)
      return tl::unexpected(Error{Errc::config_conflict, fmt::format("router {}", stuck_),
                                  "a packet has no route to the escape channels",
                                  "use another routing"});
    const std::vector<std::uint32_t> circle = find_circle();
    if (circle.empty()) return {};
    std::string text;
    for (std::size_t i = 0; i < circle.size() && i < 8; ++i)
      text += (i == 0 ? "" : ", ") + graph_.link_name(circle[i] / classes_);
    if (circle.size() > 8) text += fmt::format(" and {} more", circle.size() - 8);
    return tl::unexpected(
        Error{Errc::config_conflict, "routing", "packets can wait for each other forever: " + text,
              "use `up_down`, or a routing with channels of its own for each part of a route"});
  }

 private:
  struct State {
    Packet packet;
    std::uint32_t router = 0, in_port = 0, in_channel = 0;
    std::uint32_t held = kNone;  // vertex
  };

  void walk_variants(std::uint32_t end, std::uint64_t key, bool two_phases) {
    Packet packet;
    packet.destination = end;
    packet.key = key;
    routes_.prepare(packet);
    packet.key = key;
    for (const bool reversed : {false, true}) {
      if (reversed != packet.reversed && routes_.kind() != NocRouting::o1turn) continue;
      packet.reversed = reversed;
      if (two_phases) {
        packet.second_phase = false;
        packet.middle = graph_.nodes[end].router;
        walk(packet);
      }
      packet.second_phase = true;
      walk(packet);
    }
  }

  /// Follows all routes to the destination of `packet`; in the first of two phases, to `middle`.
  void walk(const Packet& packet) {
    ++round_;
    const bool is_first = !packet.second_phase;
    for (const NocNode& node : graph_.nodes)
      stack_.push_back({packet, node.router, node.port, 0, kNone});
    while (!stack_.empty()) {
      State state = stack_.back();
      stack_.pop_back();
      if (is_first && state.router == packet.middle) {
        if (state.held != kNone) arrivals_[state.router].insert(state.held);
        continue;
      }
      follow(state);
    }
  }

  void follow(State& state) {
    RouteSet choices;
    routes_.find(state.packet, state.router, state.in_port, state.in_channel, choices);
    bool escapes = false;
    for (std::uint32_t i = 0; i < choices.count; ++i) {
      const RouteChoice& choice = choices.choices[i];
      const std::uint32_t link = ports_.link_at(state.router, choice.port);
      if (link == kNone) return;  // it leaves to its node
      for (std::uint32_t number = 0; number < classes_; ++number) {
        const std::uint32_t channel = routes_.channel_classes()[number];
        if ((choice.channels >> channel & 1) == 0) continue;
        const std::uint32_t vertex = link * classes_ + number;
        escapes |= routes_.is_escape(channel);
        if (state.held == kNone) {
          if (!departures_.empty() && state.packet.second_phase)
            departures_[state.router].insert(vertex);
        } else if (routes_.is_escape(channel) &&
                   routes_.is_escape(routes_.channel_classes()[state.held % classes_])) {
          next_[state.held].insert(vertex);
        }
        std::uint32_t& seen = seen_[2 * vertex + state.packet.ring];
        if (seen == round_) continue;
        seen = round_;
        stack_.push_back(
            {state.packet, graph_.links[link].to, graph_.links[link].to_port, channel, vertex});
      }
    }
    if (!escapes) stuck_ = state.router;
  }

  /// Vertices of a circle, in order; empty: there is none.
  [[nodiscard]] std::vector<std::uint32_t> find_circle() const {
    enum : std::uint8_t { unseen, open, done };
    std::vector<std::uint8_t> states(next_.size(), unseen);
    std::vector<std::pair<std::uint32_t, std::size_t>> path;
    for (std::uint32_t start = 0; start < next_.size(); ++start) {
      if (states[start] != unseen) continue;
      path.push_back({start, 0});
      states[start] = open;
      while (!path.empty()) {
        auto& [vertex, tried] = path.back();
        if (tried == next_[vertex].values.size()) {
          states[vertex] = done;
          path.pop_back();
          continue;
        }
        const std::uint32_t to = next_[vertex].values[tried++];
        if (states[to] == open) {
          std::vector<std::uint32_t> circle;
          auto at = path.rbegin();
          for (; at->first != to; ++at) circle.push_back(at->first);
          circle.push_back(to);
          std::reverse(circle.begin(), circle.end());
          return circle;
        }
        if (states[to] != unseen) continue;
        states[to] = open;
        path.push_back({to, 0});
      }
    }
    return {};
  }

  const NocGraph& graph_;
  const NocRoutes& routes_;
  std::uint32_t classes_;
  std::vector<VertexSet> next_;
  std::vector<std::uint32_t> seen_;  // by vertex and ring: the last round
  std::uint32_t round_ = 0, stuck_ = kNone;
  NocPorts ports_;
  std::vector<State> stack_;
  // Two phases, by router: channels of the first phase that lead there, and of the second from
  // there.
  std::vector<VertexSet> arrivals_, departures_;
};

/// A cube with short sides that has the same turns.
NocGraph short_cube(const NocGraph& graph) {
  const std::uint32_t most = graph.extents.size() == kMostDimensions ? 4 : 5;
  CubeShape shape;
  for (const std::uint32_t extent : graph.extents)
    shape.extents.push_back(extent <= most ? extent : most - (extent + most) % 2);
  return *make_cube(shape, graph.wraps);
}

Result<void> check_routes(const NocGraph& graph, const platform::NocSettings& settings,
                          const NocRoutes& routes) {
  const NocRouting kind = routes.kind();
  if (kind == NocRouting::shortest || kind == NocRouting::up_down || graph.extents.empty())
    return check_deadlock(graph, routes);
  const NocGraph short_graph = short_cube(graph);
  const auto short_routes = NocRoutes::make(short_graph, settings);
  if (!short_routes) return tl::unexpected(short_routes.error());
  return check_deadlock(short_graph, *short_routes);
}

}  // namespace

Result<NocRoutes> find_safe_routes(const NocGraph& graph, platform::NocSettings settings,
                                   RouteTable table) {
  auto routes = NocRoutes::make(graph, settings, std::move(table));
  if (!routes) return routes;
  const auto checked = check_routes(graph, settings, *routes);
  if (checked) return routes;
  if (settings.routing != NocRouting::automatic) return tl::unexpected(checked.error());
  settings.routing = NocRouting::up_down;
  routes = NocRoutes::make(graph, settings);
  if (routes) {
    if (auto again = check_deadlock(graph, *routes); !again) return tl::unexpected(again.error());
  }
  return routes;
}

Result<void> check_deadlock(const NocGraph& graph, const NocRoutes& routes) {
  Dependencies dependencies(graph, routes);
  dependencies.find();
  return dependencies.result();
}

}  // namespace orrery::noc
