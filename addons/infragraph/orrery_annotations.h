// SPDX-License-Identifier: Apache-2.0
//
// Annotations for properties without an InfraGraph equivalent: the program restores its own
// topologies exactly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "addons/infragraph/expansion.h"
#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform::infragraph {

/// The attribute of the annotations: of the graph ("1 HOSTS NAME"), of nodes ("NUMBER CLASS HOST
/// RANK NAME") and of links ("FIGURES | FIGURES": first the direction from the node that is first
/// in the file, then the other direction).
inline constexpr std::string_view kOrreryAttribute = "orrery";

/// Links between two nodes, in either direction.
struct LinkPair {
  std::vector<LinkFigures> there, back;
  friend bool operator==(const LinkPair&, const LinkPair&) = default;
};
[[nodiscard]] std::string annotation_text(const LinkPair& links);

/// The annotation of a node.
struct NodeAnnotation {
  NodeIndex number = 0;
  NodeClass kind = NodeClass::other;
  std::uint32_t host = Topology::kNoHost;
  std::uint32_t rank = Topology::kNoRank;
  std::string name;
};
[[nodiscard]] std::string annotation_text(const NodeAnnotation& node);

/// Whether the file was written by this program.
[[nodiscard]] bool is_orrery_file(const Json& file);

/// Restores the topology from the graph and the annotations in `file`. Errc: input_corrupt.
[[nodiscard]] Result<Topology> restore_topology(const Json& file, ExpandedGraph& graph,
                                                const std::string& where);

}  // namespace orrery::platform::infragraph
