// SPDX-License-Identifier: Apache-2.0
//
// Graphs in networkx format (node-link YAML or JSON) with InfraGraph's attributes, as InfraGraph's
// service exports them.
#pragma once

#include <string>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// If nodes have no type (the service omits it in "partial" answers), the name of the component
/// determines their class (fabric_class_guessed). Errc: input_corrupt, input_range,
/// input_missing_attr (a rate in gigatransfers).
[[nodiscard]] Result<Topology> read_node_link(const config::Json& file, const std::string& where,
                                              Findings& findings);

}  // namespace orrery::platform
