// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/fabric/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "orrery/core/text/text.h"
#include "orrery/platform/cluster/fabric/fabric_internal.h"
#include "orrery/platform/topology/formats/read_topology.h"

namespace orrery::platform {

LinkFigures link_figures(const std::optional<LinkSection>& section, LinkClass kind,
                         const std::string& path, bool needed, Reading& reading) {
  LinkFigures figures;
  figures.kind = kind;
  if (!section) {
    if (needed)
      reading.fail(Errc::config_missing_key, path, "is missing",
                   "name a link of the catalog, or give bandwidth and latency");
    return figures;
  }
  if (section->link) {
    const LinkEntry* entry = find_known_link(*section->link, path + "/link", reading);
    if (entry == nullptr) return figures;
    figures.bandwidth = entry->bandwidth;
    figures.latency = entry->latency;
  }
  if (section->bandwidth) figures.bandwidth = *section->bandwidth;
  if (section->latency) figures.latency = section->latency;
  if (figures.bandwidth.count() == 0 || !figures.latency)
    reading.fail(Errc::config_missing_key,
                 path + (figures.bandwidth.count() == 0 ? "/bandwidth" : "/latency"),
                 "is missing: give it, or a link of the catalog");
  return figures;
}

namespace {

std::vector<HostShape> hosts_of(const std::vector<HostSection>& sections, const std::string& path,
                                Reading& reading) {
  std::vector<HostShape> hosts;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const HostSection& one = sections[i];
    const std::string place = pointer(path, i);
    const std::int64_t parts = one.packaging ? one.devices / one.packaging->devices : one.devices;
    const bool joined = parts > 1 && one.inside != HostInterconnect::none;
    HostShape& host = hosts.emplace_back(one);
    host.scale_up =
        link_figures(one.scale_up_link, LinkClass::scale_up, place + "/scale_up", joined, reading);
    host.pcie =
        link_figures(one.pcie_link, LinkClass::pcie, place + "/pcie", one.nics > 0, reading);
    if (!one.packaging) continue;
    host.per_package = one.packaging->devices;
    host.package = link_figures(one.packaging->link, LinkClass::scale_up, place + "/package/link",
                                true, reading);
  }
  return hosts;
}

NetworkPlan plan_of(const FabricNetworkSection& section, const std::string& path,
                    bool between_devices, Reading& reading) {
  NetworkPlan plan = section;
  const NetworkShape shape = plan.shape;
  const bool any = shape != NetworkShape::none;
  const bool grid = shape == NetworkShape::ring || shape == NetworkShape::mesh ||
                    shape == NetworkShape::torus || shape == NetworkShape::tpu ||
                    shape == NetworkShape::fully_connected;
  const LinkClass kind = grid && between_devices ? LinkClass::scale_up : LinkClass::network;
  plan.port = link_figures(section.port_link, kind, path + "/port", any, reading);
  plan.trunk = section.trunk_link
                   ? link_figures(section.trunk_link, kind, path + "/trunk", any, reading)
                   : plan.port;
  plan.die_link = section.between_dies
                      ? link_figures(section.between_dies, kind, path + "/die_link", any, reading)
                      : plan.port;
  const auto need_positive = [&](const std::vector<std::int64_t>& values, const char* key) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < 1) reading.fail(Errc::config_range, pointer(path + key, i), "is less than 1");
    }
  };
  need_positive(plan.sizes, "/sizes");
  need_positive(plan.dies, "/dies");
  if (!plan.dies.empty() && shape != NetworkShape::ring && shape != NetworkShape::mesh &&
      shape != NetworkShape::torus)
    reading.fail(Errc::config_conflict, path + "/dies", "is for rings, meshes and tori only");
  if (section.between_dies && plan.dies.empty())
    reading.fail(Errc::config_conflict, path + "/die_link", "has no effect without `dies`",
                 "give the size of a die in `dies`");
  return plan;
}

std::vector<LevelPlan> levels_of(const std::vector<LevelSection>& sections, const std::string& path,
                                 bool between_devices, Reading& reading) {
  std::vector<LevelPlan> levels;
  for (std::size_t i = 0; i < sections.size(); ++i)
    levels.push_back(
        {sections[i].count, sections[i].ports, sections[i].uplinks,
         plan_of(sections[i].network, pointer(path, i) + "/network", between_devices, reading)});
  return levels;
}

bool between_devices(const std::vector<HostShape>& hosts) {
  return std::all_of(hosts.begin(), hosts.end(),
                     [](const HostShape& host) { return host.nics == 0; });
}

/// The groups, or `hosts` and `network` as the only group.
std::vector<BlockPlan> blocks_of(const FabricSection& section, const std::string& path,
                                 Reading& reading) {
  if (section.groups && (section.hosts || section.network))
    reading.fail(Errc::config_conflict, path + "/groups",
                 "is given together with `hosts` or `network`",
                 "define hosts and network in each group");
  if (!section.hosts && !section.groups)
    reading.fail(Errc::config_missing_key, path + "/hosts", "is missing",
                 "describe hosts or groups, or name a `file`");
  if (reading.error) return {};
  const std::vector<GroupSection> one{
      {1, section.hosts.value_or(std::vector<HostSection>{}), section.network}};
  const std::vector<GroupSection>& groups = section.groups ? *section.groups : one;
  std::vector<BlockPlan> blocks;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string own = section.groups ? pointer("/groups", i) : "";
    const std::string place = path + own;
    BlockPlan block{hosts_of(groups[i].hosts, place + "/hosts", reading), {}, groups[i].count, own};
    if (groups[i].network)
      block.network =
          plan_of(*groups[i].network, place + "/network", between_devices(block.hosts), reading);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

/// The places of errors of the generators start with the name of the cluster file.
std::optional<Topology> generated(const FabricSection& section, const std::string& name,
                                  const std::string& path, Reading& reading) {
  const std::vector<BlockPlan> blocks = blocks_of(section, path, reading);
  const bool bare = std::all_of(blocks.begin(), blocks.end(), [](const BlockPlan& block) {
    return between_devices(block.hosts);
  });
  const std::vector<LevelPlan> levels =
      section.levels ? levels_of(*section.levels, path + "/levels", bare, reading)
                     : std::vector<LevelPlan>{};
  if (reading.error) return std::nullopt;
  Result<Topology> made =
      generate_blocks(name.empty() ? "fabric" : name, blocks, levels, reading.where + ":" + path);
  if (!made) {
    reading.error = made.error();
    return std::nullopt;
  }
  return std::move(*made);
}

std::optional<Topology> with_figures(Topology topology, const FabricSection& section,
                                     const std::string& path, Reading& reading) {
  if (section.defaults) topology = topology.with_defaults(*section.defaults);
  const Result<void> known = topology.check_figures(reading.where + ":" + path);
  if (!known) {
    reading.error = known.error();
    return std::nullopt;
  }
  return topology;
}

void set_rank_devices(const FabricSection& section, const std::string& path, Fabric& fabric,
                      Reading& reading) {
  const auto devices = fabric.topology.devices();
  if (devices.empty())
    return reading.fail(Errc::config_range, path, "the fabric has no accelerator");
  if (!section.placement) {
    fabric.rank_devices.assign(devices.begin(), devices.end());
    return;
  }
  std::vector<bool> taken(devices.size());
  for (const auto& [first, last] : section.placement->list) {
    for (std::uint64_t device = first; device <= last; ++device) {
      if (device >= devices.size())
        return reading.fail(
            Errc::config_range, path + "/placement",
            fmt::format("device {} does not exist: the fabric has {}", device, devices.size()));
      if (taken[device])
        return reading.fail(Errc::config_conflict, path + "/placement",
                            fmt::format("device {} has two ranks", device));
      taken[device] = true;
      fabric.rank_devices.push_back(devices[device]);
    }
  }
}

void set_routing(const RoutingSection& section, const std::string& path, Fabric& fabric,
                 Reading& reading) {
  fabric.routing.policy = section.policy;
  fabric.routing.seed = static_cast<std::uint64_t>(section.seed);
  if (!section.routes) return;
  const Topology& topology = fabric.topology;
  std::map<std::string_view, NodeIndex> by_name;
  for (NodeIndex node = 0; node < topology.node_count(); ++node)
    by_name.emplace(topology.name(node), node);
  for (std::size_t i = 0; i < section.routes->size(); ++i) {
    const std::string place = pointer(path + "/ways", i);
    FixedRoute route;
    std::string_view left = (*section.routes)[i];
    while (true) {
      left.remove_prefix(std::min(left.find_first_not_of(" \t"), left.size()));
      if (left.empty()) break;
      const std::string_view word = left.substr(0, left.find(' '));
      left.remove_prefix(word.size());
      const auto found = by_name.find(word);
      if (found == by_name.end())
        return reading.fail(Errc::config_range, place, "the fabric has no node " + in_quotes(word));
      const NodeIndex node = found->second;
      if (std::find(route.nodes.begin(), route.nodes.end(), node) != route.nodes.end())
        return reading.fail(Errc::config_conflict, place,
                            "visits " + in_quotes(word) + " twice: the path has a loop");
      if (!route.nodes.empty()) {
        const auto [first, last] = topology.between(route.nodes.back(), node);
        if (first == last)
          return reading.fail(Errc::config_range, place,
                              "no link from " + in_quotes(topology.name(route.nodes.back())) +
                                  " to " + in_quotes(word));
      }
      route.nodes.push_back(node);
    }
    if (route.nodes.size() < 2)
      return reading.fail(Errc::config_range, place, "is not a path: name both ends");
    fabric.routing.fixed_routes.push_back(std::move(route));
  }
}

/// There is a path from the first device to every other device and memory, and back.
void check_reach(const Fabric& fabric, const std::string& path, Reading& reading) {
  const Topology& topology = fabric.topology;
  const std::vector<bool> down = permanently_down(fabric);
  for (const bool forward : {true, false}) {
    std::vector<bool> seen(topology.node_count());
    std::vector<NodeIndex> open{fabric.rank_devices.front()};
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
    std::vector<NodeIndex> ends = fabric.rank_devices;
    ends.insert(ends.end(), fabric.memories.begin(), fabric.memories.end());
    for (const NodeIndex node : ends) {
      if (seen[node]) continue;
      const std::string first = printable(topology.name(fabric.rank_devices.front()));
      const std::string other = printable(topology.name(node));
      return reading.fail(
          Errc::config_conflict, path,
          fmt::format("no path from {} to {}", forward ? first : other, forward ? other : first),
          fabric.faults.empty() ? "link them, or exclude them with `placement`"
                                : "keep a link between them, or place no rank there");
    }
  }
}

}  // namespace

void scale_network(Platform& platform, double bandwidth, double latency) {
  for (Dimension& dim : platform.dims) {
    dim.bandwidth = Bandwidth(dim.bandwidth.count() * bandwidth);
    dim.latency_ns *= latency;
    if (!dim.memories) continue;
    Memories& memories = *dim.memories;
    memories.bandwidth = Bandwidth(memories.bandwidth.count() * bandwidth);
    memories.latency = Time(std::llround(static_cast<double>(memories.latency.count()) * latency));
  }
  if (platform.fabric == nullptr) return;
  Fabric fabric = *platform.fabric;
  fabric.topology = fabric.topology.scaled(bandwidth, latency);
  fabric.definition.bandwidth *= bandwidth;
  fabric.definition.latency *= latency;
  platform.fabric = std::make_shared<const Fabric>(std::move(fabric));
}

Result<Fabric> make_fabric(const FabricSection& section, const std::string& name,
                           const std::string& where, const std::string& path, Findings& findings) {
  Reading reading{where};
  if (section.file && (section.hosts || section.network || section.groups || section.levels))
    reading.fail(Errc::config_conflict, path + "/file",
                 "is given together with `hosts`, `network`, `groups` or `levels`",
                 "give one of them");
  std::optional<Topology> topology;
  if (!reading.error)
    topology = section.file ? import_topology(*section.file, path + "/file", findings, reading)
                            : generated(section, name, path, reading);
  if (topology) topology = with_figures(std::move(*topology), section, path, reading);
  std::vector<NodeIndex> memories;
  if (topology && section.memories && !reading.error)
    topology = add_memories(std::move(*topology), *section.memories, path + "/memories", memories,
                            reading);
  if (topology && (section.bandwidth != 1 || section.latency != 1))
    topology = topology->scaled(section.bandwidth, section.latency);
  if (reading.error) return tl::unexpected(*reading.error);
  Fabric fabric{section, std::move(*topology),    {}, {}, {}, {}, std::move(memories),
                1,       section.transport.window};
  set_rank_devices(section, path, fabric, reading);
  if (!reading.error) set_routing(section.routing, path + "/routing", fabric, reading);
  if (!reading.error && section.faults)
    set_faults(*section.faults, path + "/faults", fabric, reading);
  if (!reading.error && section.in_network)
    set_reducers(*section.in_network, path + "/in_network", fabric, reading);
  if (!reading.error) check_reach(fabric, path, reading);
  if (reading.error) return tl::unexpected(*reading.error);
  const auto payload = static_cast<double>(section.transport.payload.count());
  if (payload > 0)
    fabric.efficiency = payload / (payload + static_cast<double>(section.transport.header.count()));
  return fabric;
}

std::optional<Topology> import_topology(const std::string& file, const std::string& path,
                                        Findings& findings, Reading& reading) {
  if (file.empty()) {
    reading.fail(Errc::config_range, path, "names no file");
    return std::nullopt;
  }
  const auto folder = std::filesystem::path(reading.where).parent_path();
  Result<Topology> read = read_topology_file((folder / file).string(), findings);
  if (read) return std::move(*read);
  reading.error = read.error();
  return std::nullopt;
}

}  // namespace orrery::platform
