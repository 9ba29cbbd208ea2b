// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/core/random.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::model {

using noc::NocGraph;
using platform::LinkIndex;
using platform::NodeIndex;
using platform::Topology;

namespace {

/// Bytes per picosecond on the wire.
double link_rate(const FabricRoutes& routes, LinkIndex link) {
  return routes.bytes_per_ns(routes.initial_state(), link) / routes.efficiency() / 1e3;
}

platform::NocSettings complete_settings(const FabricRoutes& routes,
                                        const platform::Platform& platform) {
  platform::NocSettings made = platform.noc != nullptr ? *platform.noc : platform::NocSettings{};
  double fastest = 0;
  for (LinkIndex link = 0; link < routes.topology().link_count(); ++link)
    fastest = std::max(fastest, link_rate(routes, link));
  if (fastest <= 0) fastest = 1e-3;
  if (!made.flit) {
    const double bytes = std::clamp(std::ceil(fastest * 1e3), 16.0, 65536.0);
    made.flit = Bytes(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes))));
  }
  if (!made.cycle) {
    const double cycle = std::ceil(static_cast<double>(made.flit->count()) / fastest);
    made.cycle = Time(static_cast<std::int64_t>(std::clamp(cycle, 1.0, 1e9)));
  }
  return made;
}

/// The sizes of the dimensions that the links of the first devices suggest; empty: none.
std::vector<std::uint32_t> suggested_extents(const Topology& topology) {
  std::vector<std::uint32_t> extents;
  const NodeIndex nodes = topology.node_count();
  for (NodeIndex stride = 1; stride < nodes;) {
    NodeIndex extent = 1;
    while (extent * stride < nodes) {
      const auto [first, last] = topology.between((extent - 1) * stride, extent * stride);
      if (first == last) break;
      ++extent;
    }
    if (extent == 1 || extents.size() == noc::kMostDimensions) return {};
    extents.push_back(extent);
    stride *= extent;
  }
  return extents;
}

/// The port of a link of a cube; kNone: it does not lead to a neighbor. Marks rings in `wraps`.
std::uint32_t cube_port(const std::vector<std::uint32_t>& extents, NodeIndex from, NodeIndex to,
                        std::vector<bool>& wraps) {
  std::uint32_t found = noc::kNone;
  for (std::uint32_t dim = 0; dim < extents.size(); ++dim) {
    const std::uint32_t a = from % extents[dim], b = to % extents[dim];
    from /= extents[dim];
    to /= extents[dim];
    if (a == b) continue;
    const bool rises = b == a + 1, falls = a == b + 1;
    const bool closes = extents[dim] > 2 && (a == 0 || b == 0) && a + b == extents[dim] - 1;
    if (found != noc::kNone || !(rises || falls || closes)) return noc::kNone;
    if (closes) wraps[dim] = true;
    found = 2 * dim + (rises || (closes && b == 0) ? 0 : 1);
  }
  return from == to ? found : noc::kNone;
}

/// Makes the graph a cube if the topology is one.
void find_cube(const Topology& topology, const FabricRoutes& routes, NocGraph& graph) {
  const NodeIndex nodes = topology.node_count();
  if (routes.rank_count() != nodes || routes.end_point_count() != nodes) return;
  for (NodeIndex node = 0; node < nodes; ++node) {
    if (routes.node(node) != node) return;
  }
  const std::vector<std::uint32_t> extents = suggested_extents(topology);
  if (extents.empty()) return;
  std::vector<bool> wraps(extents.size(), false);
  std::vector<std::uint32_t> ports;
  for (LinkIndex link = 0; link < topology.link_count(); ++link) {
    if (link_rate(routes, link) <= 0) return;  // down
    ports.push_back(cube_port(extents, topology.link(link).from, topology.link(link).to, wraps));
    if (ports.back() == noc::kNone) return;
  }
  std::size_t expected = 0;
  for (std::size_t dim = 0; dim < extents.size(); ++dim)
    expected += std::size_t{2} * nodes / extents[dim] * (extents[dim] - (wraps[dim] ? 0 : 1));
  if (ports.size() != expected) return;
  const auto first = static_cast<std::uint32_t>(2 * extents.size());
  graph.extents = extents;
  graph.wraps = wraps;
  graph.ports.assign(nodes, first);
  for (LinkIndex link = 0; link < ports.size(); ++link) {
    graph.links[link].from_port = ports[link];
    graph.links[link].to_port = ports[link] ^ 1;
  }
}

noc::RouteTable fabric_table(FabricRoutes& routes, const NocGraph& graph) {
  noc::RouteTable made;
  const std::size_t routers = graph.router_count();
  made.ports.assign(routers * routers, noc::RouteTable::kNoPort);
  std::vector<LinkIndex> next;
  for (EndPoint to = 0; to < routes.end_point_count(); ++to) {
    const NodeIndex end = routes.node(to);
    for (NodeIndex at = 0; at < routers; ++at) {
      if (at == end) continue;
      routes.next_links(routes.initial_state(), at, to, next);
      if (next.empty()) continue;
      const std::uint64_t key = mix_bits((std::uint64_t{at} << 32 | end) ^ routes.seed());
      made.ports[at * routers + end] =
          static_cast<std::uint16_t>(graph.links[next[key % next.size()]].from_port);
    }
  }
  return made;
}

/// Whether the box of a clock contains a router.
bool is_in_box(const platform::NocClock& clock, const std::vector<std::uint32_t>& extents,
               NodeIndex router) {
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto at = static_cast<std::int64_t>(router % extents[d]);
    if (at < clock.from[d] || at > clock.to[d]) return false;
    router /= extents[d];
  }
  return true;
}

Result<void> check_box(const platform::NocClock& clock, const NocGraph& graph,
                       const std::string& where) {
  if (graph.extents.empty())
    return fail(Errc::config_conflict, where, "a box of routers needs a mesh, a torus or a ring",
                "name the routers with `routers`");
  bool fits = clock.from.size() == graph.extents.size() && clock.to.size() == clock.from.size();
  for (std::size_t d = 0; fits && d < graph.extents.size(); ++d)
    fits = clock.from[d] >= 0 && clock.from[d] <= clock.to[d] && clock.to[d] < graph.extents[d];
  if (fits) return {};
  return fail(Errc::config_range, where, "the box is not within the network",
              fmt::format("use positions below {}", fmt::join(graph.extents, " x ")));
}

/// Gives routers the clocks of the settings.
Result<void> set_clocks(const Topology& topology, const platform::NocSettings& settings,
                        NocGraph& graph) {
  for (std::size_t i = 0; i < settings.clocks.size(); ++i) {
    const platform::NocClock& clock = settings.clocks[i];
    const std::string where = fmt::format("clocks/{}", i);
    const auto [found, end] =
        std::pair(std::find(graph.periods.begin(), graph.periods.end(), clock.cycle.count()),
                  graph.periods.end());
    const auto domain = static_cast<std::uint32_t>(found - graph.periods.begin());
    if (found == end) graph.periods.push_back(clock.cycle.count());
    for (const std::string& name : clock.routers) {
      const std::vector<NodeIndex> named = platform::nodes_named(topology, name);
      if (named.empty())
        return fail(Errc::config_range, where, "the network has no node " + in_quotes(name),
                    "`orrery network show` lists the names of nodes");
      for (const NodeIndex router : named) graph.domain[router] = domain;
    }
    if (clock.from.empty()) continue;
    if (auto done = check_box(clock, graph, where); !done) return done;
    for (NodeIndex router = 0; router < graph.router_count(); ++router) {
      if (is_in_box(clock, graph.extents, router)) graph.domain[router] = domain;
    }
  }
  return {};
}

}  // namespace

Result<NocFabric> make_noc_fabric(FabricRoutes& routes, const platform::Platform& platform) {
  NocFabric made;
  made.settings = complete_settings(routes, platform);
  const Topology& topology = routes.topology();
  NocGraph& graph = made.graph;
  graph.ports.assign(topology.node_count(), 0);
  graph.domain.assign(topology.node_count(), 0);
  graph.periods = {made.settings.cycle->count()};
  for (LinkIndex link = 0; link < topology.link_count(); ++link) {
    const double rate = link_rate(routes, link);
    const double flit_time =
        rate > 0 ? std::ceil(static_cast<double>(made.settings.flit->count()) / rate) : 1;
    noc::add_link(graph, topology.link(link).from, topology.link(link).to, 1, 0,
                  static_cast<std::int64_t>(std::min(flit_time, 1e15)));
    graph.links.back().is_down = rate <= 0;
  }
  find_cube(topology, routes, graph);
  if (auto done = set_clocks(topology, made.settings, graph); !done)
    return tl::unexpected(done.error());
  for (LinkIndex link = 0; link < topology.link_count(); ++link) {
    const std::int64_t cycle = graph.periods[graph.domain[topology.link(link).from]];
    const std::int64_t latency = std::llround(routes.latency_ns(link) * 1e3);
    graph.links[link].extra = std::max<std::int64_t>(0, latency - cycle);
    graph.links[link].synchronizer = made.settings.synchronizer;
  }
  for (EndPoint at = 0; at < routes.end_point_count(); ++at) noc::add_node(graph, routes.node(at));
  const bool by_table =
      made.settings.routing == platform::NocRouting::shortest ||
      (made.settings.routing == platform::NocRouting::automatic && graph.extents.empty());
  if (by_table && topology.node_count() <= 4096) made.table = fabric_table(routes, graph);
  return made;
}

namespace {

FlitMessages make_messages(FabricRoutes& routes, const platform::Platform& platform,
                           platform::NocSettings& settings) {
  auto fabric = make_noc_fabric(routes, platform);
  ORRERY_CHECK(fabric.has_value());  // see check_noc()
  settings = fabric->settings;
  auto made = noc::FlitEngine::make(fabric->graph, fabric->settings, std::move(fabric->table));
  ORRERY_CHECK(made.has_value());  // see check_noc()
  return {std::move(*made), settings};
}

}  // namespace

Result<void> check_noc(const platform::Platform& platform, const std::string& where) {
  FabricRoutes routes(platform, true);
  const auto in_section = [&](Error error) {
    error.where = where + ": noc: " + error.where;
    return tl::unexpected(error);
  };
  auto fabric = make_noc_fabric(routes, platform);
  if (!fabric) return in_section(fabric.error());
  const auto made =
      noc::FlitEngine::make(fabric->graph, fabric->settings, std::move(fabric->table));
  if (!made) return in_section(made.error());
  return {};
}

NocNetwork::NocNetwork(const platform::Platform& platform)
    : NocNetwork(platform, std::make_shared<FabricRoutes>(platform, true)) {}

NocNetwork::NocNetwork(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes)
    : Network({.ranks = routes->rank_count(),
               .memories = routes->memory_count(),
               .switches = static_cast<std::uint32_t>(routes->reducers().size())},
              {.tick_order_free = true, .in_order = true}),
      routes_(std::move(routes)),
      messages_(make_messages(*routes_, platform, settings_)),
      ports_(std::make_shared<const noc::NocPorts>(engine().graph())) {
  if (settings_.skip == platform::NocSkipping::off) return;
  why_not_skipped_ = why_flits_not_skipped(engine().routes().kind());
  if (why_not_skipped_.empty()) skipper_.emplace(FlitTraffic(messages_));
}

/// Passes arrivals and loads on.
class NocNetwork::Reporter final : public FlitTraffic::Report {
 public:
  Reporter(const NocNetwork& network, Sink& sink) : network_(network), sink_(sink) {}
  void arrives(std::uint32_t token) override { sink_.arrives(token); }
  void carries(std::uint32_t link, std::int64_t from, std::int64_t until,
               std::int64_t bytes) override {
    network_.report_carried(link, from, until, bytes);
  }

 private:
  const NocNetwork& network_;
  Sink& sink_;
};

std::unique_ptr<Network> NocNetwork::snapshot() const {
  return std::unique_ptr<Network>(new NocNetwork(*this));
}

std::int64_t NocNetwork::compute_uncontended_time(EndPoint from, EndPoint to,
                                                  std::int64_t bytes) const {
  if (from == to) return 0;
  const noc::NocGraph& graph = engine().graph();
  // If packets choose their ways, those may avoid slow routers.
  const bool one_way = graph.periods.size() == 1 || engine().routes().has_one_way();
  const std::int64_t fastest = std::ranges::min(graph.periods);
  const auto period_of = [&](std::uint32_t router) {
    const bool is_end = router == graph.nodes[from].router || router == graph.nodes[to].router;
    return one_way || is_end ? graph.periods[graph.domain[router]] : fastest;
  };
  noc::Packet packet;
  packet.source = from;
  packet.destination = to;
  engine().routes().prepare(packet);
  packet.second_phase = true;  // Valiant's way is not shorter
  const std::int64_t flits = messages_.flit_count(bytes);
  // `most`: of the last flit, which follows the first at the rate of a link and overtakes it
  // nowhere; unlike the first, it needs no channel. In picoseconds.
  const std::int64_t hold = settings_.stages == 1 ? 1 : 2;
  double head = static_cast<double>((1 + graph.node_cycles) * period_of(graph.nodes[from].router));
  double most = 0;
  const auto pass = [&](std::int64_t period, std::int64_t delay, std::int64_t flit_time) {
    head += static_cast<double>(settings_.stages * period);
    const double behind = std::floor(static_cast<double>(flits - 1) *
                                     static_cast<double>(flit_time) / static_cast<double>(period));
    most = std::max(most + static_cast<double>(hold * period + delay),
                    head + static_cast<double>(delay) + behind * static_cast<double>(period));
    head += static_cast<double>(delay);
  };
  noc::walk_route(graph, *ports_, engine().routes(), packet,
                  [&](std::uint32_t number, const noc::RouteSet& /*outputs*/) {
                    const noc::NocLink& link = graph.links[number];
                    const std::int64_t period = period_of(link.from), next = period_of(link.to);
                    std::int64_t delay = link.cycles * period + link.extra;
                    if (!one_way) {
                      if (link.extra > 0)
                        delay += link.cycles * (graph.periods[graph.domain[link.from]] - period);
                    } else if (graph.domain[link.from] == graph.domain[link.to]) {
                      delay = (link.cycles + noc::ceil_div(link.extra, period)) * period;
                    } else {
                      delay += link.synchronizer * next;
                    }
                    pass(period, delay, std::max(period, link.flit_time));
                  });
  const std::int64_t last = period_of(graph.nodes[to].router);
  pass(last, graph.node_cycles * last, last);
  return most < static_cast<double>(MultiDimFabric::kTooLong) ? static_cast<std::int64_t>(most)
                                                              : MultiDimFabric::kTooLong;
}

void NocNetwork::settle(std::int64_t now, Sink& sink) {
  run(now, sink);
  std::sort(sent_.begin(), sent_.end());
  if (skipper_) skipper_->begin_posts();
  for (const Send& message : sent_) {
    if (uncontended_time(message.from, message.to, message.bytes) >=
        MultiDimFabric::kTooLong - now) {
      sink.exceeds_clock();
      continue;
    }
    const FlitMessage posted{
        message.from, message.to, message.bytes, message.token,
        mix_bits(static_cast<std::uint64_t>(settings_.seed) ^ ++posted_ << 20)};
    if (skipper_)
      skipper_->post(posted, now);
    else
      messages_.post(posted, now);
  }
  sent_.clear();
  find_next();
}

void NocNetwork::advance(std::int64_t until, Sink& sink) {
  run(until, sink);
  find_next();
}

void NocNetwork::run(std::int64_t until, Sink& sink) {
  if (skipper_) {
    Reporter reporter(*this, sink);
    skipper_->report_links(observed());
    return skipper_->run(until, reporter);
  }
  messages_.engine().report_links(observed());
  messages_.run(until, [&](std::uint32_t token, std::int64_t /*time*/) { sink.arrives(token); });
  for (const noc::LinkPass& one : engine().link_passes())
    report_carried(one.link, one.from, one.until, one.payload);
  messages_.engine().clear_link_passes();
}

std::optional<SkippedEvents> NocNetwork::skipped_flits() const {
  if (!skipper_) return {};
  return skipper_->count_events();
}

void NocNetwork::add_findings(Findings& findings) const {
  if (!why_not_skipped_.empty())
    findings.add(FindingCode::key_without_effect, "noc/skip: " + why_not_skipped_);
  const std::optional<SkippedEvents> flits = skipped_flits();
  if (flits && flits->simulated < flits->all)
    findings.add(FindingCode::packets_skipped,
                 fmt::format("{} of {} flits at routers were simulated",
                             format_count(static_cast<std::int64_t>(flits->simulated)),
                             format_count(static_cast<std::int64_t>(flits->all))));
}

double NocNetwork::mean_routers() const {
  constexpr std::uint32_t kSenders = 8;
  const std::uint32_t ranks = routes_->rank_count();
  double routers = 0, pairs = 0;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    for (std::uint32_t i = 0; i < std::min(kSenders, ranks); ++i) {
      const auto from = static_cast<EndPoint>(std::uint64_t{i} * ranks / kSenders % ranks);
      const Route* route = routes_->find(routes_->initial_state(), from, (from + distance) % ranks);
      if (route == nullptr) continue;
      routers += static_cast<double>(route->steps.size() + 1);
      ++pairs;
    }
  }
  return pairs > 0 ? routers / pairs : 1;
}

void NocNetwork::find_next() {
  const std::int64_t next = skipper_ ? skipper_->next_arrival() : messages_.next_arrival();
  if (next == next_) return;
  next_ = next;
  ++epoch_;
}

}  // namespace orrery::model
