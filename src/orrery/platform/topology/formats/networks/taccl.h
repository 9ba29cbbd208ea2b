// SPDX-License-Identifier: Apache-2.0
//
// TACCL's and MSCCL's topologies (JSON): a matrix of links, where there is one.
#pragma once

#include <string>
#include <string_view>

#include "orrery/config/document.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// `links[to][from]` is how many links lie side by side. Files without that matrix state costs by
/// kind of link and which machine they were measured on, and not which GPUs are linked:
/// input_missing_attr. Sketches are hints for a synthesiser: input_unsupported. Else input_corrupt,
/// limit_exceeded.
[[nodiscard]] Result<Topology> read_taccl(const config::Json& file, const std::string& where,
                                          Findings& findings);

}  // namespace orrery::platform
