// SPDX-License-Identifier: Apache-2.0
//
// Recognizes files of InfraGraph by their keys. The add-on infragraph reads them.
#pragma once

#include "orrery/config/json_types.h"

namespace orrery::platform {

/// Whether the tree is a file of InfraGraph: an infrastructure, a device, annotations or a graph.
[[nodiscard]] bool is_infragraph(const config::Json& file);

/// Whether it is a graph in the format of networkx (node-link YAML or JSON).
[[nodiscard]] bool is_node_link(const config::Json& file);

/// Whether it has annotations of a graph, but no graph.
[[nodiscard]] bool is_only_annotations(const config::Json& file);

}  // namespace orrery::platform
