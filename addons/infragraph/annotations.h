// SPDX-License-Identifier: Apache-2.0
//
// What InfraGraph's annotations say of ranks, and of figures that the links leave open.
#pragma once

#include <cstddef>
#include <string>

#include "addons/infragraph/expansion.h"
#include "addons/infragraph/infragraph_file.h"
#include "orrery/config/document.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::platform::infragraph {

/// Reads `rank` of nodes; `bandwidth` and `latency` of edges and of links by name, where the link
/// itself states none; `width` or `lanes` of links by name, which gigatransfers need. Other
/// attributes say nothing that a fabric has (fabric_part_ignored, once). Errc: input_corrupt (of
/// something that is not there), input_range, limit_exceeded.
[[nodiscard]] Result<void> annotate(const Json& annotations, std::size_t bytes,
                                    const std::string& where, ExpandedGraph& graph,
                                    Findings& findings);

/// Links whose rate is in gigatransfers must have got a width by now. Errc: input_missing_attr.
[[nodiscard]] Result<void> check_gigatransfers(ExpandedGraph& graph);

}  // namespace orrery::platform::infragraph
