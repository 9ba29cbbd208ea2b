// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>

#include "orrery/core/text.h"
#include "orrery/platform/fabric_internal.h"

namespace orrery::platform {

namespace {

LinkFigures figures_of(const std::optional<CableSection>& section, LinkClass kind,
                       const std::string& path, bool needed, Reading& reading) {
  LinkFigures figures;
  figures.kind = kind;
  if (!section) {
    if (needed)
      reading.fail(Errc::config_missing_key, path, "is missing",
                   "name a link of the catalogue, or give bandwidth and latency");
    return figures;
  }
  if (section->link) {
    const LinkEntry* entry = known_link(*section->link, path + "/link", reading);
    if (entry == nullptr) return figures;
    figures.bandwidth = entry->bandwidth;
    figures.latency = entry->latency;
  }
  if (section->bandwidth) figures.bandwidth = *section->bandwidth;
  if (section->latency) figures.latency = section->latency;
  if (figures.bandwidth.count() == 0 || !figures.latency)
    reading.fail(Errc::config_missing_key,
                 path + (figures.bandwidth.count() == 0 ? "/bandwidth" : "/latency"),
                 "is missing: give it, or a link of the catalogue");
  return figures;
}

std::vector<HostShape> hosts_of(const std::vector<HostSection>& sections, const std::string& path,
                                Reading& reading) {
  std::vector<HostShape> hosts;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const HostSection& one = sections[i];
    const std::string place = pointer(path, i);
    const bool joined = one.devices > 1 && one.inside != Inside::none;
    hosts.push_back(
        {one.count, one.devices, one.inside, one.switches,
         figures_of(one.scale_up, LinkClass::scale_up, place + "/scale_up", joined, reading),
         one.nics, figures_of(one.pcie, LinkClass::pcie, place + "/pcie", one.nics > 0, reading)});
  }
  return hosts;
}

NetworkPlan plan_of(const FabricNetworkSection& section, const std::string& path,
                    bool between_devices, Reading& reading) {
  NetworkPlan plan;
  plan.shape = section.kind;
  const bool any = section.kind != NetworkShape::none;
  const bool grid = section.kind == NetworkShape::ring || section.kind == NetworkShape::mesh ||
                    section.kind == NetworkShape::torus || section.kind == NetworkShape::tpu ||
                    section.kind == NetworkShape::fully_connected;
  const LinkClass kind = grid && between_devices ? LinkClass::scale_up : LinkClass::network;
  plan.port = figures_of(section.port, kind, path + "/port", any, reading);
  plan.trunk =
      section.trunk ? figures_of(section.trunk, kind, path + "/trunk", any, reading) : plan.port;
  plan.sizes = section.sizes.value_or(std::vector<std::int64_t>{});
  for (std::size_t i = 0; i < plan.sizes.size(); ++i) {
    if (plan.sizes[i] < 1)
      reading.fail(Errc::config_range, pointer(path + "/sizes", i), "is less than 1");
  }
  plan.wraps = section.wraps.value_or(std::vector<std::int64_t>{});
  plan.twists = section.twists.value_or(std::vector<std::int64_t>{});
  plan.per_leaf = section.per_leaf;
  plan.radix = section.radix;
  plan.tiers = section.tiers;
  plan.oversubscription = section.oversubscription;
  plan.upper_oversubscription = section.upper_oversubscription;
  plan.leaves_per_pod = section.leaves_per_pod;
  plan.group = section.group;
  plan.spines = section.spines;
  plan.global_links = section.global_links;
  return plan;
}

/// Errors that generators place relative to the section keep the cluster file's name.
std::optional<Topology> generated(const FabricSection& section, const std::string& name,
                                  const std::string& path, Reading& reading) {
  if (!section.hosts) {
    reading.fail(Errc::config_missing_key, path + "/hosts", "is missing",
                 "describe hosts, or name a `file`");
    return std::nullopt;
  }
  const std::vector<HostShape> hosts = hosts_of(*section.hosts, path + "/hosts", reading);
  NetworkPlan plan;
  const bool between_devices =
      std::all_of(hosts.begin(), hosts.end(), [](const HostShape& host) { return host.nics == 0; });
  if (section.network)
    plan = plan_of(*section.network, path + "/network", between_devices, reading);
  if (reading.error) return std::nullopt;
  Result<Topology> made =
      generate(name.empty() ? "fabric" : name, hosts, plan, reading.where + ":" + path);
  if (!made) {
    reading.error = made.error();
    return std::nullopt;
  }
  return std::move(*made);
}

std::optional<Topology> with_figures(Topology topology, const FabricSection& section,
                                     const std::string& path, Reading& reading) {
  if (section.defaults) {
    std::vector<LinkFigures> by_class;
    for (const DefaultSection& one : *section.defaults)
      by_class.push_back({one.bandwidth.value_or(Bandwidth{}), one.latency, 1, one.kind});
    topology = topology.with_defaults(by_class);
  }
  const Result<void> known = topology.check_figures(reading.where + ":" + path);
  if (!known) {
    reading.error = known.error();
    return std::nullopt;
  }
  return topology;
}

void set_seats(const FabricSection& section, const std::string& path, Fabric& fabric,
               Reading& reading) {
  const auto devices = fabric.topology.devices();
  if (devices.empty())
    return reading.fail(Errc::config_range, path, "the fabric has no accelerator");
  if (!section.placement) {
    fabric.seats.assign(devices.begin(), devices.end());
    return;
  }
  std::vector<bool> taken(devices.size());
  for (const auto& [first, last] : section.placement->list) {
    for (std::uint64_t device = first; device <= last; ++device) {
      if (device >= devices.size())
        return reading.fail(
            Errc::config_range, path + "/placement",
            fmt::format("there is no device {}: the fabric has {}", device, devices.size()));
      if (taken[device])
        return reading.fail(Errc::config_conflict, path + "/placement",
                            fmt::format("device {} has two ranks", device));
      taken[device] = true;
      fabric.seats.push_back(devices[device]);
    }
  }
}

void set_routing(const RoutingSection& section, const std::string& path, Fabric& fabric,
                 Reading& reading) {
  fabric.routing.policy = section.policy;
  fabric.routing.seed = static_cast<std::uint64_t>(section.seed);
  if (!section.ways) return;
  const Topology& topology = fabric.topology;
  std::map<std::string_view, NodeIndex> by_name;
  for (NodeIndex node = 0; node < topology.node_count(); ++node)
    by_name.emplace(topology.name(node), node);
  for (std::size_t i = 0; i < section.ways->size(); ++i) {
    const std::string place = pointer(path + "/ways", i);
    SetRoute way;
    std::string_view left = (*section.ways)[i];
    while (true) {
      left.remove_prefix(std::min(left.find_first_not_of(" \t"), left.size()));
      if (left.empty()) break;
      const std::string_view word = left.substr(0, left.find(' '));
      left.remove_prefix(word.size());
      const auto found = by_name.find(word);
      if (found == by_name.end())
        return reading.fail(Errc::config_range, place, "the fabric has no node " + in_quotes(word));
      const NodeIndex node = found->second;
      if (std::find(way.nodes.begin(), way.nodes.end(), node) != way.nodes.end())
        return reading.fail(Errc::config_conflict, place,
                            "comes to " + in_quotes(word) + " twice: it is a loop");
      if (!way.nodes.empty()) {
        const auto [first, last] = topology.between(way.nodes.back(), node);
        if (first == last)
          return reading.fail(Errc::config_range, place,
                              "there is no link from " +
                                  in_quotes(topology.name(way.nodes.back())) + " to " +
                                  in_quotes(word));
      }
      way.nodes.push_back(node);
    }
    if (way.nodes.size() < 2)
      return reading.fail(Errc::config_range, place, "is no way: name both ends");
    fabric.routing.set.push_back(std::move(way));
  }
}

/// Every seat is reached from the first and reaches it, and so every other.
void check_reach(const Fabric& fabric, const std::string& path, Reading& reading) {
  const Topology& topology = fabric.topology;
  const std::vector<bool> down = down_always(fabric);
  for (const bool forward : {true, false}) {
    std::vector<bool> seen(topology.node_count());
    std::vector<NodeIndex> open{fabric.seats.front()};
    seen[open.front()] = true;
    while (!open.empty()) {
      const NodeIndex at = open.back();
      open.pop_back();
      const auto visit = [&](LinkIndex link) {
        const NodeIndex there = forward ? topology.link(link).to : topology.link(link).from;
        if (down[link] || seen[there]) return;
        seen[there] = true;
        open.push_back(there);
      };
      if (forward) {
        const auto [first, last] = topology.out(at);
        for (LinkIndex link = first; link < last; ++link) visit(link);
      } else {
        for (const LinkIndex link : topology.in(at)) visit(link);
      }
    }
    for (const NodeIndex seat : fabric.seats) {
      if (seen[seat]) continue;
      const std::string first = printable(topology.name(fabric.seats.front()));
      const std::string other = printable(topology.name(seat));
      return reading.fail(Errc::config_conflict, path,
                          fmt::format("there is no way from {} to {}", forward ? first : other,
                                      forward ? other : first),
                          fabric.faults.empty()
                              ? "join them, or leave them out with `placement`"
                              : "leave a link between them, or place no rank there");
    }
  }
}

}  // namespace

std::vector<Dimension> Fabric::logical_dims() const {
  const auto ranks = static_cast<std::int64_t>(seats.size());
  const Dimension all{Block::switched, ranks, {}, 0};
  if (written.network && written.network->sizes && !written.placement) {
    std::int64_t product = 1;
    std::vector<Dimension> dims;
    for (const std::int64_t size : *written.network->sizes) {
      product *= size;
      dims.push_back({Block::ring, size, {}, 0});
    }
    if (product == ranks) return dims;
  }
  std::int64_t per_host = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t host = topology.host(seats[static_cast<std::size_t>(rank)]);
    if (host == Topology::kNoHost) return {all};
    const bool begins =
        rank == 0 || host != topology.host(seats[static_cast<std::size_t>(rank - 1)]);
    if (begins && rank > 0 && per_host == 0) per_host = rank;
    if (per_host > 0 && begins != (rank % per_host == 0)) return {all};
  }
  if (per_host <= 1 || ranks % per_host != 0) return {all};
  return {{Block::switched, per_host, {}, 0}, {Block::switched, ranks / per_host, {}, 0}};
}

Result<Topology> stacked(const std::vector<Dimension>& dims, const std::string& name) {
  using Joined = StackedDim::Block;
  std::vector<StackedDim> all;
  for (const Dimension& dim : dims) {
    const Joined block = dim.block == Block::ring              ? Joined::ring
                         : dim.block == Block::fully_connected ? Joined::fully_connected
                                                               : Joined::switched;
    const Time latency(std::llround(dim.latency_ns * kPsPerNs));
    all.push_back({block, dim.size, {dim.bandwidth, latency, 1, LinkClass::network}});
  }
  return stacked(name, all, name);
}

void complete_dims(std::vector<Dimension>& dims, const Fabric& fabric) {
  const Router router(fabric.topology, fabric.routing, down_always(fabric));
  std::int64_t stride = 1;
  for (Dimension& dim : dims) {
    const std::int64_t other = std::min(stride, static_cast<std::int64_t>(fabric.seats.size()) - 1);
    std::vector<Step> way;
    if (dim.bandwidth.count() == 0 && other > 0 &&
        router.find(fabric.seats[0], fabric.seats[static_cast<std::size_t>(other)], way)) {
      double least = std::numeric_limits<double>::infinity(), latency = 0;
      for (const Step& step : way) {
        const Link& link = fabric.topology.link(step.link);
        least = std::min(least, link.capacity() / step.share);
        latency += static_cast<double>(link.figures.latency.value_or(Time{}).count()) / kPsPerNs *
                   step.share;
      }
      dim.bandwidth = Bandwidth(least);
      dim.latency_ns = dim.block == Block::switched ? latency / 2 : latency;
    }
    if (dim.bandwidth.count() == 0) dim.bandwidth = Bandwidth(1e9);  // nobody is along it
    stride *= dim.size;
  }
}

void scale_network(Platform& platform, double bandwidth, double latency) {
  for (Dimension& dim : platform.dims) {
    dim.bandwidth = Bandwidth(dim.bandwidth.count() * bandwidth);
    dim.latency_ns *= latency;
  }
  if (platform.fabric == nullptr) return;
  Fabric fabric = *platform.fabric;
  fabric.topology = fabric.topology.scaled(bandwidth, latency);
  fabric.written.bandwidth *= bandwidth;
  fabric.written.latency *= latency;
  platform.fabric = std::make_shared<const Fabric>(std::move(fabric));
}

Result<Fabric> make_fabric(const FabricSection& section, const std::string& name,
                           const std::string& where, const std::string& path, Findings& findings) {
  Reading reading{where};
  if (section.file && (section.hosts || section.network))
    reading.fail(Errc::config_conflict, path + "/file", "is given beside `hosts` or `network`",
                 "give one of them");
  std::optional<Topology> topology;
  if (!reading.error)
    topology = section.file ? imported(*section.file, path + "/file", findings, reading)
                            : generated(section, name, path, reading);
  if (topology) topology = with_figures(std::move(*topology), section, path, reading);
  if (topology && (section.bandwidth != 1 || section.latency != 1))
    topology = topology->scaled(section.bandwidth, section.latency);
  if (reading.error) return tl::unexpected(*reading.error);
  Fabric fabric{section, std::move(*topology), {}, {}, {}, 1, section.transport.window};
  set_seats(section, path, fabric, reading);
  if (!reading.error) set_routing(section.routing, path + "/routing", fabric, reading);
  if (!reading.error && section.faults)
    set_faults(*section.faults, path + "/faults", fabric, reading);
  if (!reading.error) check_reach(fabric, path, reading);
  if (reading.error) return tl::unexpected(*reading.error);
  const auto payload = static_cast<double>(section.transport.payload.count());
  if (payload > 0)
    fabric.efficiency = payload / (payload + static_cast<double>(section.transport.header.count()));
  return fabric;
}

}  // namespace orrery::platform
