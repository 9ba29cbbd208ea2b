// SPDX-License-Identifier: Apache-2.0
//
// What InfraGraph has no words for, in its annotations: what this program writes, it reads back
// whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/core/error.h"
#include "orrery/platform/topology/formats/infragraph_expand.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform::infragraph {

/// The attribute that holds it: of the graph ("1 HOSTS NAME"), of nodes ("NUMBER CLASS HOST RANK
/// NAME") and of links ("FIGURES | FIGURES": of the direction from the node that stands first in
/// the file, then of the other).
inline constexpr std::string_view kOwn = "orrery";

/// Links between two nodes, in either direction.
struct Both {
  std::vector<LinkFigures> there, back;
  friend bool operator==(const Both&, const Both&) = default;
};
[[nodiscard]] std::string own_text(const Both& links);

/// What a node's annotation says.
struct OwnNode {
  NodeIndex number = 0;
  NodeClass kind = NodeClass::other;
  std::uint32_t host = Topology::kNoHost;
  std::uint32_t rank = Topology::kNoRank;
  std::string name;
};
[[nodiscard]] std::string own_text(const OwnNode& node);

/// Whether the file was written by this program.
[[nodiscard]] bool is_own(const Json& file);

/// The topology as it was, from the graph and the annotations that `file` has. Errc: input_corrupt.
[[nodiscard]] Result<Topology> restore(const Json& file, Expanded& graph, const std::string& where);

}  // namespace orrery::platform::infragraph
