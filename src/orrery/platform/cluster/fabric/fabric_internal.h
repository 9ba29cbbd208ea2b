// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files that build a fabric.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/parameters.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::platform {

using config::pointer;

/// Looks up the links of faults.
void set_faults(const std::vector<FaultSection>& sections, const std::string& path, Fabric& fabric,
                Reading& reading);

void report_unknown_node(const std::string& path, std::string_view pattern, Reading& reading);

/// The values of a link; `needed`: a missing section is an error at `path`.
[[nodiscard]] LinkFigures link_figures(const std::optional<LinkSection>& section, LinkClass kind,
                                       const std::string& path, bool needed, Reading& reading);

/// Adds a memory at a node. With a rate above 0, all reads and writes cross an internal link of
/// that bandwidth, between two ports named `in` and `out`.
NodeIndex attach_memory(TopologyBuilder& builder, const std::string& name, NodeIndex at,
                        std::uint32_t host, const LinkFigures& link, Bandwidth rate);

/// Adds the memories of the sections to the topology and to `memories`; empty: an error.
[[nodiscard]] std::optional<Topology> add_memories(
    Topology topology, const std::vector<FabricMemoriesSection>& sections, const std::string& path,
    std::vector<NodeIndex>& memories, Reading& reading);

/// Looks up the switches that reduce and multicast.
void set_reducers(const std::vector<ReducerSection>& sections, const std::string& path,
                  Fabric& fabric, Reading& reading);

/// A link of the catalog; null, with an error at `path`: unknown name.
[[nodiscard]] const LinkEntry* find_known_link(const std::string& name, const std::string& path,
                                               Reading& reading);

/// Reads a fabric; the path is relative to the cluster file.
[[nodiscard]] std::optional<Topology> import_topology(const std::string& file,
                                                      const std::string& path, Findings& findings,
                                                      Reading& reading);

}  // namespace orrery::platform
