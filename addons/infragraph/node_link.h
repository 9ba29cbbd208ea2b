// SPDX-License-Identifier: Apache-2.0
//
// Graphs as networkx writes them (node-link YAML or JSON), with InfraGraph's attributes: what its
// service answers when it is asked for networkx.
#pragma once

#include <string>

#include "orrery/config/document.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Where nodes have no type (the service leaves it out of "partial" answers), the name of the
/// component tells what they are (fabric_class_guessed). Errc: input_corrupt, input_range,
/// input_missing_attr (a rate in gigatransfers).
[[nodiscard]] Result<Topology> read_node_link(const config::Json& file, const std::string& where,
                                              Findings& findings);

}  // namespace orrery::platform
