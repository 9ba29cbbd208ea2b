// SPDX-License-Identifier: Apache-2.0
//
// Memories that are end points of a fabric.
#include <fmt/format.h>

#include <set>

#include "orrery/config/parameters.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/cluster/fabric/fabric_internal.h"
#include "orrery/platform/cluster/file/memory_limits.h"

namespace orrery::platform {

namespace {

Error too_many(const std::string& where) {
  return {Errc::limit_exceeded, where,
          fmt::format("the network has more than {} memories", memory_limits::kMemories),
          "represent several memories by one with their total bandwidth"};
}

/// The nodes of a section: existing memories, and nodes for new memories.
struct Places {
  std::vector<NodeIndex> memories, others;
};

Places places_of(const FabricMemoriesSection& section, const Topology& topology,
                 const std::string& path, Reading& reading) {
  Places places;
  for (const NodeIndex node : nodes_named(topology, section.at))
    (topology.kind(node) == NodeClass::memory ? places.memories : places.others).push_back(node);
  if (places.memories.empty() && places.others.empty())
    report_unknown_node(path + "/at", section.at, reading);
  if (reading.error || !places.others.empty()) return places;
  if (section.link || section.count || section.rate)
    reading.fail(Errc::config_conflict,
                 path + (section.link    ? "/link"
                         : section.count ? "/count"
                                         : "/rate"),
                 "is given, but " + in_quotes(section.at) + " are memories themselves",
                 "remove it, or name the node that new memories are linked to");
  return places;
}

}  // namespace

NodeIndex attach_memory(TopologyBuilder& builder, const std::string& name, NodeIndex at,
                        std::uint32_t host, const LinkFigures& link, Bandwidth rate) {
  const NodeIndex memory = builder.add(NodeClass::memory, name, host);
  if (rate.count() == 0) {
    builder.join(memory, at, link);
    return memory;
  }
  const NodeIndex in = builder.add(NodeClass::port, name + ".in", host),
                  out = builder.add(NodeClass::port, name + ".out", host);
  const LinkFigures inside{rate, Time{}, 1, LinkClass::inside};
  builder.link(memory, in, inside);
  builder.link(in, out, inside);
  builder.link(out, memory, inside);
  builder.link(at, in, link);
  builder.link(out, at, link);
  return memory;
}

std::optional<Topology> add_memories(Topology topology,
                                     const std::vector<FabricMemoriesSection>& sections,
                                     const std::string& path, std::vector<NodeIndex>& memories,
                                     Reading& reading) {
  TopologyBuilder builder(topology);
  std::set<std::string, std::less<>> taken;
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    if (topology.name(node).starts_with("memory")) taken.insert(topology.name(node));
  }
  std::uint32_t number = 0;
  const auto next_name = [&] {
    std::string name = fmt::format("memory{}", number++);
    while (taken.contains(name)) name = fmt::format("memory{}", number++);
    return name;
  };
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const FabricMemoriesSection& section = sections[i];
    const std::string place = config::pointer(path, i);
    const Places places = places_of(section, topology, place, reading);
    const LinkFigures figures = link_figures(section.link, LinkClass::memory, place + "/link",
                                             !places.others.empty(), reading);
    if (reading.error) return std::nullopt;
    memories.insert(memories.end(), places.memories.begin(), places.memories.end());
    const auto count = static_cast<std::uint64_t>(section.count.value_or(1));
    if (memories.size() + places.others.size() * count > memory_limits::kMemories) {
      reading.error = too_many(reading.where + ":" + place);
      return std::nullopt;
    }
    for (const NodeIndex node : places.others) {
      for (std::uint64_t one = 0; one < count; ++one)
        memories.push_back(attach_memory(builder, next_name(), node, topology.host(node), figures,
                                         section.rate.value_or(Bandwidth{})));
    }
  }
  std::set<NodeIndex> once;
  for (const NodeIndex memory : memories) {
    if (once.insert(memory).second) continue;
    reading.fail(Errc::config_conflict, path,
                 "names " + in_quotes(topology.name(memory)) + " twice");
    return std::nullopt;
  }
  Result<Topology> made = builder.finish(reading.where + ":" + path);
  if (made) return std::move(*made);
  reading.error = made.error();
  return std::nullopt;
}

Result<void> check_memories(const Platform& platform, const std::string& where) {
  const std::uint32_t count = memory_count(platform);
  if (count > memory_limits::kMemories) return tl::unexpected(too_many(where + ":/network"));
  if (platform.remote_memory.kind != RemoteMemoryKind::network) return {};
  if (count == 0)
    return fail(Errc::config_missing_key, where + ":/remote_memory/kind",
                "is `network`, but the network has no memories",
                "add `memories` to a `fabric`, or to a dimension of switches");
  if (platform.fabric == nullptr && !network_model(platform.network).dimension_memories)
    return fail(Errc::config_conflict, where + ":/remote_memory/kind",
                "is `network`, but the " + std::string(network_model(platform.network).name) +
                    " network of dimensions has no memories",
                "network_model: flow, or --network flow");
  return {};
}

}  // namespace orrery::platform
