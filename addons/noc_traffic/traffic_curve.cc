// SPDX-License-Identifier: Apache-2.0
#include "addons/noc_traffic/traffic_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "orrery/core/random.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/csv.h"

namespace orrery::noc {

namespace {

constexpr double kSaturatedRatio = 3;
constexpr double kSaturationStep = 0.005;  // of the load
constexpr double kLeastLoad = 1e-6;
constexpr double kLimitRatio = 20;
constexpr std::uint64_t kMostPairs = 1 << 18;
constexpr std::uint64_t kSampledPairs = 1 << 16;

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

/// Cycles of a packet of one flit from one node to another without contention.
double path_cycles(const FlitEngine& engine, const platform::NocSettings& router,
                   const NocPorts& ports, std::uint32_t from, std::uint32_t to) {
  const NocGraph& graph = engine.graph();
  Packet packet;
  packet.source = from;
  packet.destination = to;
  packet.key = mix_bits(std::uint64_t{from} << 32 | to);
  engine.routes().prepare(packet);
  auto cycles = 1 + 2 * graph.node_cycles + router.stages;
  walk_route(graph, ports, engine.routes(), packet,
             [&](std::uint32_t link, const RouteSet& /*outputs*/) {
               cycles += graph.links[link].cycles + router.stages;
             });
  return static_cast<double>(cycles);
}

/// Links on the mean way of uniform traffic, if routes go by dimensions; else empty. Of k routers
/// in a row, two random ones are (k² - 1) / 3k apart; in a ring, floor(k² / 4) / k.
std::optional<double> mean_links(const FlitEngine& engine) {
  const NocGraph& graph = engine.graph();
  const platform::NocRouting kind = engine.routes().kind();
  if (graph.extents.empty() || kind == platform::NocRouting::shortest ||
      kind == platform::NocRouting::up_down)
    return {};
  double links = 0;
  for (std::size_t dim = 0; dim < graph.extents.size(); ++dim) {
    const double extent = graph.extents[dim];
    links += graph.wraps[dim] ? std::floor(extent * extent / 4) / extent
                              : (extent * extent - 1) / (3 * extent);
  }
  return kind == platform::NocRouting::valiant ? 2 * links : links;
}

/// Runs one load, or the trace.
CurvePoint run_load(const FlitEngine& empty, TrafficSettings traffic, std::optional<double> load,
                    std::int64_t seeds, const std::function<void()>& done) {
  CurvePoint made;
  made.load = load;
  traffic.load = load.value_or(0);
  std::vector<double> latencies;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    traffic.seed = static_cast<std::uint64_t>(seed);
    FlitEngine engine = empty;
    const TrafficResult one = run_traffic(engine, traffic);
    ++made.runs;
    made.accepted += one.accepted;
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
  if (made.stable > 1) made.latency_deviation = std::sqrt(sample_variance(latencies));
  return made;
}

/// Whether all loads, or the trace, can be simulated.
Result<void> check_loads(const CurveQuestion& question, std::uint32_t nodes) {
  TrafficSettings traffic = question.traffic;
  std::int64_t most = traffic.pattern == TrafficPattern::trace ? 1 : traffic.packet;
  if (auto fine = check_traffic(traffic, nodes); !fine) return fine;
  for (const TracePacket& one : traffic.trace) most = std::max<std::int64_t>(most, one.flits);
  for (const double load : question.loads) {
    traffic.load = load;
    if (auto fine = check_traffic(traffic, nodes); !fine) return fine;
  }
  if (question.router.switching == platform::NocSwitching::cut_through &&
      most > question.router.buffer)
    return fail(Errc::config_conflict, "buffer", fmt::format("has no room for {} flits", most),
                "use at least the flits of the largest packet, or wormhole switching");
  return {};
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
  const bool one_each = question.topology == TrafficTopology::fully_connected;
  const bool one_router = question.topology == TrafficTopology::crossbar;
  if ((one_each || one_router) && question.concentration != 1)
    return fail(Errc::usage, "--concentration", "is for meshes, tori and rings", "remove it");
  if (one_router && question.link_cycles != 1)
    return fail(Errc::usage, "--link-cycles", "has no effect: a crossbar has one router",
                "remove it");
  if (one_each) {
    return make_fully_connected(question.extents[0], question.link_cycles);
  }
  CubeShape shape;
  shape.extents = question.extents;
  shape.concentration = question.concentration;
  shape.link_cycles = question.link_cycles;
  shape.wraps =
      question.topology == TrafficTopology::torus || question.topology == TrafficTopology::ring;
  if (one_router) {
    shape.extents = {1};
    shape.concentration = question.extents[0];
  }
  return make_cube(shape);
}

double zero_load_latency(const FlitEngine& engine, const platform::NocSettings& router,
                         const TrafficSettings& traffic) {
  const NocPorts ports(engine.graph());
  const std::uint32_t nodes = engine.graph().node_count();
  double sum = 0, count = 0;
  const auto add = [&](std::uint32_t from, std::uint32_t to, double weight, double flits) {
    sum += weight * (path_cycles(engine, router, ports, from, to) + flits - 1);
    count += weight;
  };
  const auto flits = static_cast<double>(traffic.packet);
  if (traffic.pattern == TrafficPattern::trace) {
    for (const TracePacket& one : traffic.trace)
      add(one.from, one.to, 1, static_cast<double>(one.flits));
    return count > 0 ? sum / count : 0;
  }
  const bool hot = traffic.pattern == TrafficPattern::hot_spot;
  if (!hot && traffic.pattern != TrafficPattern::uniform) {
    for (std::uint32_t from = 0; from < nodes; ++from)
      add(from, permuted(traffic.pattern, from, nodes), 1, flits);
    return sum / count;
  }
  if (const auto links = mean_links(engine); links && !hot) {
    const NocGraph& graph = engine.graph();
    const double delay = graph.links.empty() ? 0 : static_cast<double>(graph.links[0].cycles);
    return (*links + 1) * static_cast<double>(router.stages) + *links * delay + flits +
           static_cast<double>(2 * graph.node_cycles);
  }
  const double share = hot ? traffic.hot_share : 0;
  const std::uint64_t pairs = std::uint64_t{nodes} * nodes;
  const std::uint64_t used = pairs <= kMostPairs ? pairs : kSampledPairs;
  for (std::uint64_t i = 0; i < used; ++i) {
    const std::uint64_t pair = used == pairs ? i : mix_bits(i) % pairs;
    add(static_cast<std::uint32_t>(pair / nodes), static_cast<std::uint32_t>(pair % nodes),
        1 - share, flits);
  }
  for (std::uint32_t from = 0; hot && from < nodes; ++from)
    add(from, traffic.hot_node, share * static_cast<double>(used) / nodes, flits);
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
  const bool is_trace = question.traffic.pattern == TrafficPattern::trace;
  if (auto fine = check_loads(question, graph->node_count()); !fine)
    return tl::unexpected(fine.error());
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
  TrafficSettings traffic = question.traffic;
  traffic.latency_limit = question.latency_limit.value_or(kLimitRatio * made.zero_load_latency);
  const auto run = [&](std::optional<double> load) {
    return run_load(*engine, traffic, load, is_trace ? 1 : question.seeds, done);
  };
  if (is_trace) made.points.push_back(run({}));
  for (const double load : question.loads) made.points.push_back(run(load));
  if (!question.finds_saturation) return made;
  double low = 0, high = 1;  // a node sends one flit per cycle
  while (high - low > kSaturationStep * high && high > kLeastLoad) {
    const double middle = (low + high) / 2;
    const CurvePoint one = run(middle);
    const bool is_below =
        one.stable == one.runs && one.latency <= kSaturatedRatio * made.zero_load_latency;
    (is_below ? low : high) = middle;
  }
  made.saturation = low;
  return made;
}

}  // namespace orrery::noc
