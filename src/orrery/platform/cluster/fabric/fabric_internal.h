// SPDX-License-Identifier: Apache-2.0
//
// What the files that make a fabric share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/parameters.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::platform {

using config::pointer;

/// Looks up the links that faults name.
void set_faults(const std::vector<FaultSection>& sections, const std::string& path, Fabric& fabric,
                Reading& reading);

/// Nodes of that name, or whose names begin as the text before a `*` does.
[[nodiscard]] std::vector<NodeIndex> nodes_named(const Topology& topology,
                                                 std::string_view pattern);
void report_unknown_node(const std::string& path, std::string_view pattern, Reading& reading);

/// What a link of files carries; `needed`: an error at `path` where none is given.
[[nodiscard]] LinkFigures link_figures(const std::optional<LinkSection>& section, LinkClass kind,
                                       const std::string& path, bool needed, Reading& reading);

/// A new memory at a node. With a rate (not 0) all that it reads and writes crosses one link inside
/// of it, whose bandwidth that is: from `in` to `out`, two ports through which either goes.
NodeIndex attach_memory(TopologyBuilder& builder, const std::string& name, NodeIndex at,
                        std::uint32_t host, const LinkFigures& link, Bandwidth rate);

/// Hangs memories in, and adds them to `memories`; nullopt: an error.
[[nodiscard]] std::optional<Topology> add_memories(
    Topology topology, const std::vector<FabricMemoriesSection>& sections, const std::string& path,
    std::vector<NodeIndex>& memories, Reading& reading);

/// Looks up the switches that can do collectives' work.
void set_reducers(const std::vector<ReducerSection>& sections, const std::string& path,
                  Fabric& fabric, Reading& reading);

[[nodiscard]] inline InNetwork in_network_of(const InNetworkSection& section) {
  const Summands adds = section.adds.value_or(Summands{});
  return {section.latency, section.buffer, section.radix, section.streams, adds.bits};
}

/// The link of the catalogue; null, and an error at `path`: there is none.
[[nodiscard]] const LinkEntry* find_known_link(const std::string& name, const std::string& path,
                                               Reading& reading);

/// The fabric of a file beside the cluster file.
[[nodiscard]] std::optional<Topology> import_topology(const std::string& file,
                                                      const std::string& path, Findings& findings,
                                                      Reading& reading);

}  // namespace orrery::platform
