// SPDX-License-Identifier: Apache-2.0
//
// SimAI's network files: like those of ns-3, with servers and NVSwitches. The first line has the
// number of nodes, GPUs per server, NVSwitches, other switches and links, and the type of GPU.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Servers become hosts; an NVSwitch belongs to the server of the first GPU linked to it.
[[nodiscard]] Result<Topology> read_simai(std::string_view text, const std::string& where,
                                          Findings& findings);

}  // namespace orrery::platform
