// SPDX-License-Identifier: Apache-2.0
//
// Hosts: devices, their packages, what joins them, and NICs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/platform/topology/generators/generator_parts.h"

namespace orrery::platform::generators {

namespace {

void join_inside(TopologyBuilder& builder, const HostShape& shape, std::span<const Port> devices,
                 const std::string& name, std::uint32_t host) {
  const auto count = static_cast<std::int64_t>(devices.size());
  if (count < 2) return;
  switch (shape.inside) {
    case HostInterconnect::none:
      return;
    case HostInterconnect::switched:
      for (std::int64_t s = 0; s < shape.switches; ++s) {
        LinkFigures share = shape.scale_up;
        share.bandwidth = Bandwidth(share.bandwidth.count() / static_cast<double>(shape.switches));
        const NodeIndex hub =
            builder.add(NodeClass::nvswitch, fmt::format("{}.switch{}", name, s), host);
        for (const Port& device : devices) builder.join(device.node, hub, share);
      }
      return;
    case HostInterconnect::fully_connected:
      return join_all(builder, devices, shape.scale_up);
    case HostInterconnect::ring:
    case HostInterconnect::mesh:
    case HostInterconnect::torus:
      break;
  }
  const std::vector<std::int64_t> sizes =
      shape.inside == HostInterconnect::ring ? std::vector{count} : even_sizes(count, 2);
  std::vector<GridDim> dims;
  for (const std::int64_t size : sizes)
    dims.push_back({StackedDim::Block::ring, size, shape.inside != HostInterconnect::mesh, 0});
  join_grid(builder, devices, dims, shape.scale_up);
}

void join_nics(TopologyBuilder& builder, const HostShape& shape, std::span<const Port> devices,
               const std::string& name, std::uint32_t host, std::vector<Port>& out) {
  const std::int64_t number = devices.front().host;
  const auto count = static_cast<std::int64_t>(devices.size());
  for (std::int64_t n = 0; n < shape.nics; ++n) {
    const NodeIndex nic = builder.add(NodeClass::nic, fmt::format("{}.nic{}", name, n), host);
    out.push_back({nic, number, n});
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

namespace {

struct HostNodes {
  const HostShape* shape;
  std::vector<Port> devices;
  std::string name;
  std::uint32_t host;
  std::int64_t number;  // hosts before it, and devices that are in none
};

HostNodes add_devices(TopologyBuilder& builder, const HostShape& shape, std::int64_t number) {
  // A device that is joined to the network itself and to nothing else is in no machine.
  const bool alone = shape.devices == 1 && shape.nics == 0;
  const std::uint32_t host = alone ? Topology::kNoHost : builder.add_host();
  HostNodes made{&shape, {}, alone ? std::string() : fmt::format("host{}", host), host, number};
  for (std::int64_t d = 0; d < shape.devices; ++d) {
    const std::string name =
        alone ? fmt::format("npu{}", builder.node_count()) : fmt::format("{}.gpu{}", made.name, d);
    made.devices.push_back({builder.add(NodeClass::device, name, host), number, d});
  }
  return made;
}

/// Hubs stand for the dies of their packages from here on.
void add_packages(TopologyBuilder& builder, HostNodes& made) {
  const std::vector<Port> dies = std::exchange(made.devices, {});
  const auto each = static_cast<std::size_t>(made.shape->per_package);
  for (std::size_t die = 0; die < dies.size(); ++die) {
    if (die % each == 0) {
      const std::size_t package = die / each;
      made.devices.push_back(
          {builder.add(NodeClass::nvswitch, fmt::format("{}.package{}", made.name, package),
                       made.host),
           made.number, static_cast<std::int64_t>(package)});
    }
    builder.join(dies[die].node, made.devices.back().node, made.shape->package);
  }
}

}  // namespace

// Devices first, so that they are nodes 0, 1, ….
std::vector<Port> add_hosts(TopologyBuilder& builder, const std::vector<HostShape>& hosts,
                            std::int64_t times) {
  std::vector<HostNodes> all;
  for (std::int64_t i = 0; i < times; ++i) {
    for (const HostShape& shape : hosts) {
      for (std::int64_t h = 0; h < shape.count; ++h)
        all.push_back(add_devices(builder, shape, static_cast<std::int64_t>(all.size())));
    }
  }
  std::vector<Port> ports;
  for (HostNodes& made : all) {
    if (made.shape->per_package > 1) add_packages(builder, made);
    join_inside(builder, *made.shape, made.devices, made.name, made.host);
    if (made.shape->nics == 0) {
      ports.insert(ports.end(), made.devices.begin(), made.devices.end());
    } else {
      join_nics(builder, *made.shape, made.devices, made.name, made.host, ports);
    }
  }
  return ports;
}

}  // namespace orrery::platform::generators
