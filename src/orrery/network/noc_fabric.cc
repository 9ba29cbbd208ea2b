// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc_fabric.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "orrery/core/random.h"

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

}  // namespace

NocFabric make_noc_fabric(FabricRoutes& routes, const platform::Platform& platform) {
  NocFabric made;
  made.settings = complete_settings(routes, platform);
  const Topology& topology = routes.topology();
  const std::int64_t period = made.settings.cycle->count();
  NocGraph& graph = made.graph;
  graph.ports.assign(topology.node_count(), 0);
  graph.domain.assign(topology.node_count(), 0);
  graph.periods = {period};
  for (LinkIndex link = 0; link < topology.link_count(); ++link) {
    const std::int64_t latency = std::llround(routes.latency_ns(link) * 1e3);
    const double rate = link_rate(routes, link);
    const double flit_time =
        rate > 0 ? std::ceil(static_cast<double>(made.settings.flit->count()) / rate) : 1;
    noc::add_link(graph, topology.link(link).from, topology.link(link).to, 1,
                  std::max<std::int64_t>(0, latency - period),
                  static_cast<std::int64_t>(std::min(flit_time, 1e15)));
  }
  find_cube(topology, routes, graph);
  for (EndPoint at = 0; at < routes.end_point_count(); ++at) noc::add_node(graph, routes.node(at));
  const bool by_table =
      made.settings.routing == platform::NocRouting::shortest ||
      (made.settings.routing == platform::NocRouting::automatic && graph.extents.empty());
  if (by_table && topology.node_count() <= 4096) made.table = fabric_table(routes, graph);
  return made;
}

}  // namespace orrery::model
