// SPDX-License-Identifier: Apache-2.0
//
// Hosts: devices, what joins them, and NICs.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "orrery/core/limits.h"
#include "orrery/platform/topology/generate/parts.h"

namespace orrery::platform {

namespace generating {

namespace {

void join_inside(TopologyBuilder& builder, const HostShape& shape, std::span<const Port> devices,
                 const std::string& name, std::uint32_t host) {
  const auto count = static_cast<std::int64_t>(devices.size());
  if (count < 2) return;
  switch (shape.inside) {
    case Inside::none:
      return;
    case Inside::switched:
      for (std::int64_t s = 0; s < shape.switches; ++s) {
        LinkFigures share = shape.scale_up;
        share.bandwidth = Bandwidth(share.bandwidth.count() / static_cast<double>(shape.switches));
        const NodeIndex hub =
            builder.add(NodeClass::nvswitch, fmt::format("{}.switch{}", name, s), host);
        for (const Port& device : devices) builder.join(device.node, hub, share);
      }
      return;
    case Inside::fully_connected:
      return join_all(builder, devices, shape.scale_up);
    case Inside::ring:
    case Inside::mesh:
    case Inside::torus:
      break;
  }
  const std::vector<std::int64_t> sizes =
      shape.inside == Inside::ring ? std::vector{count} : even_sizes(count, 2);
  std::vector<GridDim> dims;
  for (const std::int64_t size : sizes)
    dims.push_back({StackedDim::Block::ring, size, shape.inside != Inside::mesh, 0});
  join_grid(builder, devices, dims, {}, shape.scale_up);
}

void join_nics(TopologyBuilder& builder, const HostShape& shape, std::span<const Port> devices,
               const std::string& name, std::uint32_t host, std::vector<Port>& out) {
  const auto count = static_cast<std::int64_t>(devices.size());
  for (std::int64_t n = 0; n < shape.nics; ++n) {
    const NodeIndex nic = builder.add(NodeClass::nic, fmt::format("{}.nic{}", name, n), host);
    out.push_back({nic, static_cast<std::int64_t>(host), n});
    // Of more NICs than devices several belong to one.
    const std::int64_t first = n * count / shape.nics;
    const std::int64_t last = std::max(first + 1, (n + 1) * count / shape.nics);
    NodeIndex hub = nic;
    if (last - first > 1) {
      hub = builder.add(NodeClass::pcie_switch, fmt::format("{}.pcie{}", name, n), host);
      builder.join(hub, nic, shape.pcie);
    }
    for (std::int64_t i = first; i < last; ++i)
      builder.join(devices[static_cast<std::size_t>(i)].node, hub, shape.pcie);
  }
}

}  // namespace

// Devices first, so that they are nodes 0, 1, ….
std::vector<Port> add_hosts(TopologyBuilder& builder, const std::vector<HostShape>& hosts) {
  struct Made {
    const HostShape* shape;
    std::vector<Port> devices;
    std::string name;
    std::uint32_t host;
  };
  std::vector<Made> all;
  for (const HostShape& shape : hosts) {
    for (std::int64_t h = 0; h < shape.count; ++h) {
      // A device that is joined to the network itself and to nothing else is in no machine.
      const bool alone = shape.devices == 1 && shape.nics == 0;
      const std::uint32_t host = alone ? Topology::kNoHost : builder.add_host();
      Made made{&shape, {}, alone ? std::string() : fmt::format("host{}", host), host};
      for (std::int64_t d = 0; d < shape.devices; ++d) {
        const std::string name = alone ? fmt::format("npu{}", builder.node_count())
                                       : fmt::format("{}.gpu{}", made.name, d);
        made.devices.push_back({builder.add(NodeClass::device, name, host),
                                alone ? static_cast<std::int64_t>(all.size()) : host, d});
      }
      all.push_back(std::move(made));
    }
  }
  std::vector<Port> ports;
  for (const Made& made : all) {
    join_inside(builder, *made.shape, made.devices, made.name, made.host);
    if (made.shape->nics == 0) {
      ports.insert(ports.end(), made.devices.begin(), made.devices.end());
    } else {
      join_nics(builder, *made.shape, made.devices, made.name, made.host, ports);
    }
  }
  return ports;
}

namespace {

/// Of one host: what it adds to a fabric, at most.
std::pair<double, double> nodes_and_links(const HostShape& shape) {
  const auto devices = static_cast<double>(shape.devices), nics = static_cast<double>(shape.nics);
  const double inside = shape.inside == Inside::switched
                            ? devices * static_cast<double>(shape.switches)
                        : shape.inside == Inside::fully_connected ? devices * (devices - 1) / 2
                                                                  : 2 * devices;
  return {devices + static_cast<double>(shape.switches) + 2 * nics,
          2 * (inside + devices + 2 * nics)};
}

std::optional<Wrong> check(const std::vector<HostShape>& hosts, TopologyBuilder& builder) {
  double devices = 0, nodes = 0, links = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const HostShape& shape = hosts[i];
    const auto count = static_cast<double>(shape.count);
    const auto [own_nodes, own_links] = nodes_and_links(shape);
    devices += count * static_cast<double>(shape.devices);
    nodes += count * own_nodes;
    links += count * own_links;
    if (devices > static_cast<double>(limits::kRanks))
      return Wrong{fmt::format("/hosts/{}/count", i),
                   fmt::format("makes more than {} devices", limits::kRanks),
                   {}};
  }
  (void)builder.has_room(links, nodes);
  return std::nullopt;
}

std::optional<Wrong> join(TopologyBuilder& builder, std::span<const Port> ports,
                          const NetworkPlan& network) {
  switch (network.shape) {
    case NetworkShape::none:
      return std::nullopt;
    case NetworkShape::switched: {
      const NodeIndex hub = builder.add(NodeClass::switched, "switch");
      for (const Port& port : ports) builder.join(port.node, hub, network.port);
      return std::nullopt;
    }
    case NetworkShape::fully_connected:
      join_all(builder, ports, network.port);
      return std::nullopt;
    case NetworkShape::ring:
    case NetworkShape::mesh:
    case NetworkShape::torus:
      return join_grid_network(builder, ports, network);
    case NetworkShape::tpu:
      return join_tpu(builder, ports, network);
    case NetworkShape::fat_tree:
      return join_tree(builder, ports, network);
    case NetworkShape::rail_optimised:
    case NetworkShape::rail_only:
    case NetworkShape::dual_plane:
      return join_rails(builder, ports, network);
    case NetworkShape::dragonfly:
    case NetworkShape::dragonfly_plus:
      return join_dragonfly(builder, ports, network);
  }
  return std::nullopt;
}

}  // namespace

}  // namespace generating

Result<Topology> generate(const std::string& name, const std::vector<HostShape>& hosts,
                          const NetworkPlan& network, const std::string& where) {
  TopologyBuilder builder(name, "generated");
  std::optional<generating::Wrong> wrong = generating::check(hosts, builder);
  if (!wrong && builder.has_room(0)) {
    const std::vector<generating::Port> ports = generating::add_hosts(builder, hosts);
    wrong = generating::join(builder, ports, network);
  }
  if (wrong)
    return tl::unexpected(
        Error{Errc::config_conflict, where + wrong->place, wrong->what, wrong->hint});
  return builder.finish(where);
}

}  // namespace orrery::platform
