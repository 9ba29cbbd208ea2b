// SPDX-License-Identifier: Apache-2.0
//
// SimAI's networks: as ns-3's, with NVSwitches among the switches and so many GPUs a server. The
// first line: nodes, GPUs a server, NVSwitches, other switches, links, type of GPU.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Servers become hosts; an NVSwitch is in the server of the first GPU that it is linked to.
[[nodiscard]] Result<Topology> read_simai(std::string_view text, const std::string& where,
                                          Findings& findings);

}  // namespace orrery::platform
