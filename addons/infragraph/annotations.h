// SPDX-License-Identifier: Apache-2.0
//
// InfraGraph's annotations: ranks, and properties that links lack.
#pragma once

#include <cstddef>
#include <string>

#include "addons/infragraph/expansion.h"
#include "addons/infragraph/infragraph_file.h"
#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::platform::infragraph {

/// Reads `rank` of nodes; `bandwidth` and `latency` of edges, and of links by name if the link
/// itself lacks them; `width` or `lanes` of links by name, which gigatransfers require. Other
/// attributes have no equivalent in a fabric (fabric_part_ignored, once). Errc: input_corrupt (an
/// annotation of a missing part), input_range, limit_exceeded.
[[nodiscard]] Result<void> annotate(const Json& annotations, std::size_t bytes,
                                    const std::string& where, ExpandedGraph& graph,
                                    Findings& findings);

/// Checks that each link with a rate in gigatransfers has a width. Errc: input_missing_attr.
[[nodiscard]] Result<void> check_gigatransfers(ExpandedGraph& graph);

}  // namespace orrery::platform::infragraph
