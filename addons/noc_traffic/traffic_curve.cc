// SPDX-License-Identifier: Apache-2.0
#include "addons/noc_traffic/traffic_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "orrery/core/text/csv.h"

namespace orrery::noc {

namespace {

constexpr double kSaturatedRatio = 3;
constexpr double kSaturationStep = 0.005;
constexpr std::uint32_t kMostPairs = 1 << 16;

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

/// Cycles of a packet of one flit from one node to another without contention.
double path_cycles(const FlitEngine& engine, const platform::NocSettings& router,
                   const std::vector<const NocLink*>& links,
                   const std::vector<std::size_t>& first_port, std::uint32_t from,
                   std::uint32_t to) {
  const NocGraph& graph = engine.graph();
  Packet packet;
  packet.source = from;
  packet.destination = to;
  packet.key = from * 0x9e3779b9u + to;
  engine.routes().prepare(packet);
  std::uint32_t at = graph.nodes[from].router, in_port = graph.nodes[from].port;
  auto cycles = static_cast<double>(1 + 2 * graph.node_cycles);
  std::uint32_t channel = 0;
  while (true) {
    cycles += static_cast<double>(router.stages);
    RouteSet next;
    engine.routes().find(packet, at, in_port, channel, next);
    const RouteChoice& choice = next.choices[next.count - 1];
    const NocLink* link = links[first_port[at] + choice.port];
    if (link == nullptr) return cycles;
    cycles += static_cast<double>(link->cycles);
    at = link->to;
    in_port = link->to_port;
    channel = 31 - static_cast<std::uint32_t>(std::countl_zero(choice.channels));
  }
}

CurvePoint run_load(const FlitEngine& empty, const CurveQuestion& question, double load,
                    const std::function<void()>& done) {
  CurvePoint made;
  made.load = load;
  std::vector<double> latencies;
  for (std::int64_t seed = 1; seed <= question.seeds; ++seed) {
    TrafficSettings traffic = question.traffic;
    traffic.load = load;
    traffic.seed = static_cast<std::uint64_t>(seed);
    FlitEngine engine = empty;
    const TrafficResult one = run_traffic(engine, traffic);
    ++made.runs;
    made.accepted += one.accepted;
    made.cycles += one.cycles;
    if (one.is_stable) {
      ++made.stable;
      made.latency += one.latency;
      made.network_latency += one.network_latency;
      made.p99 += static_cast<double>(one.p99);
      made.hops += one.hops;
      made.packets += one.packets;
      latencies.push_back(one.latency);
    }
    done();
  }
  made.accepted /= static_cast<double>(made.runs);
  if (made.stable == 0) return made;
  const auto stable = static_cast<double>(made.stable);
  made.latency /= stable;
  made.network_latency /= stable;
  made.p99 /= stable;
  made.hops /= stable;
  double squares = 0;
  for (const double one : latencies) squares += (one - made.latency) * (one - made.latency);
  if (made.stable > 1) made.latency_deviation = std::sqrt(squares / (stable - 1));
  return made;
}

std::string network_name(const CurveQuestion& question) {
  constexpr std::array<std::string_view, 5> kNames = {"mesh", "torus", "ring", "crossbar",
                                                      "fully connected"};
  std::string made(kNames[static_cast<std::size_t>(question.topology)]);
  for (std::size_t i = 0; i < question.extents.size(); ++i)
    made += fmt::format("{}{}", i == 0 ? " " : " x ", question.extents[i]);
  if (question.concentration > 1)
    made += fmt::format(", {} nodes per router", question.concentration);
  return made;
}

}  // namespace

Result<std::vector<std::uint32_t>> parse_extents(std::string_view text) {
  std::vector<std::uint32_t> made;
  std::string_view rest = text;
  while (true) {
    const std::size_t end = rest.find('x');
    std::uint32_t extent = 0;
    if (!parse_number(rest.substr(0, end), extent) || extent == 0)
      return fail(Errc::usage, "--size", fmt::format("'{}' is no list of numbers above 0", text),
                  "for example 8x8");
    made.push_back(extent);
    if (end == std::string_view::npos) return made;
    rest.remove_prefix(end + 1);
  }
}

Result<std::vector<TracePacket>> parse_trace(std::string_view text, const std::string& where) {
  std::vector<TracePacket> made;
  std::vector<std::string_view> cells;
  std::vector<std::string> retained;
  TrimmedLineReader lines(text, where);
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty() || line.front() == '#') continue;
    TracePacket one;
    if (!split_csv_row(line, cells, retained) || cells.size() != 4 ||
        !parse_number(cells[0], one.cycle) || !parse_number(cells[1], one.from) ||
        !parse_number(cells[2], one.to) || !parse_number(cells[3], one.flits))
      return fail(Errc::config_syntax, lines.place(), "is no packet",
                  "a line has: cycle, source, destination, flits");
    made.push_back(one);
  }
  return made;
}

Result<NocGraph> graph_of(const CurveQuestion& question) {
  const bool one_extent =
      question.topology != TrafficTopology::mesh && question.topology != TrafficTopology::torus;
  if (one_extent && question.extents.size() != 1)
    return fail(Errc::usage, "--size", "this topology has one number", "for example 16");
  if (question.topology == TrafficTopology::fully_connected) {
    if (question.concentration != 1)
      return fail(Errc::usage, "--concentration", "is for meshes, tori and rings", "remove it");
    return make_fully_connected(question.extents[0], question.link_cycles);
  }
  CubeShape shape;
  shape.extents = question.extents;
  shape.concentration = question.concentration;
  shape.link_cycles = question.link_cycles;
  shape.wraps =
      question.topology == TrafficTopology::torus || question.topology == TrafficTopology::ring;
  if (question.topology == TrafficTopology::crossbar) {
    shape.extents = {1};
    shape.concentration = question.extents[0];
  }
  return make_cube(shape);
}

double zero_load_latency(const FlitEngine& engine, const platform::NocSettings& router,
                         const TrafficSettings& traffic) {
  const NocGraph& graph = engine.graph();
  std::vector<std::size_t> first_port{0};
  for (const std::uint32_t ports : graph.ports) first_port.push_back(first_port.back() + ports);
  std::vector<const NocLink*> links(first_port.back(), nullptr);
  for (const NocLink& link : graph.links) links[first_port[link.from] + link.from_port] = &link;
  const std::uint32_t nodes = graph.node_count();
  double sum = 0, count = 0;
  const auto add = [&](std::uint32_t from, std::uint32_t to, double weight, double flits) {
    sum += weight * (path_cycles(engine, router, links, first_port, from, to) + flits - 1);
    count += weight;
  };
  const auto flits = static_cast<double>(traffic.packet);
  if (traffic.pattern == TrafficPattern::trace) {
    for (const TracePacket& one : traffic.trace)
      add(one.from, one.to, 1, static_cast<double>(one.flits));
    return count > 0 ? sum / count : 0;
  }
  const bool hot = traffic.pattern == TrafficPattern::hot_spot;
  const std::uint32_t stride =
      std::max(1u, static_cast<std::uint32_t>(std::uint64_t{nodes} * nodes / kMostPairs));
  for (std::uint32_t from = 0; from < nodes; from += stride) {
    if (!hot && traffic.pattern != TrafficPattern::uniform) {
      add(from, permuted(traffic.pattern, from, nodes), 1, flits);
      continue;
    }
    const double share = hot ? traffic.hot_share : 0;
    if (hot) add(from, traffic.hot_node, share * nodes, flits);
    for (std::uint32_t to = 0; to < nodes; ++to) add(from, to, 1 - share, flits);
  }
  return sum / count;
}

std::optional<double> bisection_load(const NocGraph& graph) {
  if (graph.extents.empty()) return {};
  const auto nodes = static_cast<double>(graph.node_count());
  double least = 1;  // a node sends one flit per cycle
  for (std::size_t dim = 0; dim < graph.extents.size(); ++dim) {
    const double extent = graph.extents[dim];
    if (extent < 2) continue;
    const double below = std::floor(extent / 2);
    const double links = graph.router_count() / extent * (graph.wraps[dim] ? 2 : 1);
    least = std::min(least,
                     links * nodes / (nodes * below / extent * nodes * (extent - below) / extent));
  }
  return least;
}

Result<CurveAnswer> run_curve(const CurveQuestion& question,
                              const std::function<void(std::size_t)>& progress) {
  const auto graph = graph_of(question);
  if (!graph) return tl::unexpected(graph.error());
  const auto engine = FlitEngine::make(*graph, question.router);
  if (!engine) return tl::unexpected(engine.error());
  std::vector<double> loads = question.loads;
  if (question.traffic.pattern == TrafficPattern::trace) loads = {question.traffic.load};
  for (const double load : loads) {
    TrafficSettings one = question.traffic;
    one.load = load;
    if (auto fine = check_traffic(one, graph->node_count()); !fine)
      return tl::unexpected(fine.error());
  }
  if (question.router.switching == platform::NocSwitching::cut_through &&
      question.traffic.packet > question.router.buffer)
    return fail(Errc::config_conflict, "buffer", "has no room for a packet",
                "use at least the flits of a packet, or wormhole switching");
  CurveAnswer made;
  made.network = network_name(question);
  made.routers = graph->router_count();
  made.nodes = graph->node_count();
  made.routing = engine->routes().kind();
  made.zero_load_latency = zero_load_latency(*engine, question.router, question.traffic);
  if (question.traffic.pattern == TrafficPattern::uniform)
    made.bisection_load = bisection_load(*graph);
  std::size_t finished = 0;
  const auto done = [&] {
    if (progress) progress(++finished);
  };
  for (const double load : loads) made.points.push_back(run_load(*engine, question, load, done));
  if (!question.finds_saturation) return made;
  const double most = std::min(1.0, static_cast<double>(question.traffic.packet));
  double low = 0, high = most;
  while (high - low > kSaturationStep) {
    const double middle = (low + high) / 2;
    const CurvePoint one = run_load(*engine, question, middle, done);
    const bool is_below =
        one.stable == one.runs && one.latency <= kSaturatedRatio * made.zero_load_latency;
    (is_below ? low : high) = middle;
  }
  made.saturation = low;
  return made;
}

}  // namespace orrery::noc
