// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/noc_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace orrery::noc {

namespace {

Error wrong(std::string where, std::string what, std::string hint) {
  return {Errc::config_range, std::move(where), std::move(what), std::move(hint)};
}

/// The neighbor of a router in a dimension, or kMostRouters.
std::uint32_t neighbor(const CubeShape& shape, bool wraps, std::uint32_t router, std::size_t dim,
                       bool next) {
  std::uint32_t stride = 1;
  for (std::size_t i = 0; i < dim; ++i) stride *= shape.extents[i];
  const std::uint32_t extent = shape.extents[dim];
  const std::uint32_t at = router / stride % extent;
  if (extent == 1 || (!wraps && at == (next ? extent - 1 : 0))) return kMostRouters;
  const std::uint32_t to = (at + (next ? 1 : extent - 1)) % extent;
  return router + (to - at) * stride;  // modulo 2^32, which subtracts
}

}  // namespace

std::string NocGraph::link_name(std::uint32_t link) const {
  return fmt::format("router {} -> router {}", links[link].from, links[link].to);
}

NocPorts::NocPorts(const NocGraph& graph) {
  first.push_back(0);
  for (const std::uint32_t ports : graph.ports) first.push_back(first.back() + ports);
  link.assign(first.back(), kNone);
  for (std::uint32_t i = 0; i < graph.links.size(); ++i)
    link[at(graph.links[i].from, graph.links[i].from_port)] = i;
}

void add_link(NocGraph& graph, std::uint32_t from, std::uint32_t to, std::int64_t cycles,
              std::int64_t extra, std::int64_t flit_time) {
  graph.links.push_back(
      {from, graph.ports[from]++, to, graph.ports[to]++, cycles, extra, flit_time, false, 0});
}

void add_node(NocGraph& graph, std::uint32_t router) {
  graph.nodes.push_back({router, graph.ports[router]++});
}

Result<NocGraph> make_cube(const CubeShape& shape) {
  return make_cube(shape, std::vector<bool>(shape.extents.size(), shape.wraps));
}

Result<NocGraph> make_cube(const CubeShape& shape, const std::vector<bool>& wraps) {
  std::uint64_t routers = 1;
  if (shape.extents.empty() || shape.extents.size() > kMostDimensions)
    return tl::unexpected(wrong("extents", "a cube has 1 to 4 dimensions", "for example 8x8"));
  for (const std::uint32_t extent : shape.extents) {
    routers *= extent;
    if (routers == 0 || routers > kMostRouters)
      return tl::unexpected(wrong("extents", "there are no routers, or more than 65,536",
                                  "use extents from 1, with a product of at most 65,536"));
  }
  if (shape.concentration == 0 || shape.concentration * routers > kMostRouters)
    return tl::unexpected(wrong("concentration", "there are no nodes, or more than 65,536",
                                "use at least 1 node per router"));
  const auto count = static_cast<std::uint32_t>(routers);
  const auto dims = static_cast<std::uint32_t>(shape.extents.size());
  NocGraph made;
  made.ports.assign(count, 2 * dims + shape.concentration);
  made.domain.assign(count, 0);
  made.periods = {shape.period};
  made.extents = shape.extents;
  made.wraps = wraps;
  made.concentration = shape.concentration;
  for (std::uint32_t router = 0; router < count; ++router) {
    for (std::uint32_t port = 0; port < 2 * dims; ++port) {
      const std::uint32_t to = neighbor(shape, wraps[port / 2], router, port / 2, port % 2 == 0);
      if (to != kMostRouters)
        made.links.push_back({router, port, to, port ^ 1, shape.link_cycles, 0, 0, false, 0});
    }
    for (std::uint32_t node = 0; node < shape.concentration; ++node)
      made.nodes.push_back({router, 2 * dims + node});
  }
  return made;
}

Result<NocGraph> make_fully_connected(std::uint32_t routers, std::int64_t link_cycles,
                                      std::int64_t period) {
  if (routers == 0 || routers > 1024)
    return tl::unexpected(wrong("routers", "a fully connected network has 1 to 1024 routers",
                                "use fewer routers, or another topology"));
  NocGraph made;
  made.ports.assign(routers, 0);
  made.domain.assign(routers, 0);
  made.periods = {period};
  for (std::uint32_t from = 0; from < routers; ++from) {
    for (std::uint32_t to = 0; to < routers; ++to) {
      if (from != to) add_link(made, from, to, link_cycles);
    }
  }
  for (std::uint32_t router = 0; router < routers; ++router) add_node(made, router);
  return made;
}

Result<void> check_graph(const NocGraph& graph) {
  const std::uint32_t routers = graph.router_count();
  if (routers == 0 || graph.nodes.empty() || graph.nodes.size() > kMostRouters ||
      routers > kMostRouters || graph.domain.size() != routers)
    return tl::unexpected(wrong("network", "it needs 1 to 65,536 routers and nodes",
                                "give each router a clock, and at least one router a node"));
  for (const std::int64_t period : graph.periods) {
    if (period < 1 || period > 1'000'000'000)
      return tl::unexpected(
          wrong("clock", fmt::format("a period of {} ps", period), "use a period of 1 ps to 1 ms"));
  }
  std::vector<std::size_t> first(routers + 1, 0);
  for (std::uint32_t router = 0; router < routers; ++router) {
    if (graph.domain[router] >= graph.periods.size())
      return tl::unexpected(
          wrong(fmt::format("router {}", router), "has no clock", "give it the number of a clock"));
    first[router + 1] = first[router] + graph.ports[router];
  }
  std::vector<bool> leaves(first.back(), false), enters(first.back(), false);
  const auto use = [&](std::vector<bool>& used, std::uint32_t router, std::uint32_t port) {
    if (router >= routers || port >= graph.ports[router] || used[first[router] + port])
      return false;
    used[first[router] + port] = true;
    return true;
  };
  for (const NocLink& link : graph.links) {
    const std::string where = fmt::format("link from router {} to {}", link.from, link.to);
    if (!use(leaves, link.from, link.from_port) || !use(enters, link.to, link.to_port))
      return tl::unexpected(wrong(where, "its port does not exist or has another link",
                                  "give each link ports of its own"));
    const std::int64_t from = graph.periods[graph.domain[link.from]];
    const std::int64_t to = graph.periods[graph.domain[link.to]];
    if (link.cycles < 1 || link.cycles > kMostDelay || link.flit_time < 0 ||
        link.flit_time > kMostDelay * from || link.extra < 0 || link.extra > kMostDelay * to ||
        link.synchronizer < 0 || link.synchronizer > kMostDelay ||
        (link.cycles + 2) * from + link.extra + link.synchronizer * std::max(from, to) >
            kMostDelay * std::min(from, to))
      return tl::unexpected(wrong(where, "its delay or rate is out of range",
                                  "use 1 to 32,768 cycles of the faster of its routers"));
  }
  for (const NocNode& node : graph.nodes) {
    if (!use(leaves, node.router, node.port) || !use(enters, node.router, node.port))
      return tl::unexpected(wrong(fmt::format("node at router {}", node.router),
                                  "its port does not exist or has a link",
                                  "give each node a port of its own"));
  }
  return {};
}

}  // namespace orrery::noc
