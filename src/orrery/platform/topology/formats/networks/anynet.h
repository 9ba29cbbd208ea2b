// SPDX-License-Identifier: Apache-2.0
//
// BookSim's anynet files: a line per router ("router 0 node 0 router 1 5"), with the nodes at it
// and the routers that a channel leads to, each followed by its latency in cycles unless that is 1.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Channels have both directions; a direction that the file does not name has one cycle, as in
/// BookSim. The file does not state the length of a cycle: 1 ns is assumed (default_assumed).
/// Bandwidths are unknown. Errc: input_corrupt, input_range, limit_exceeded.
[[nodiscard]] Result<Topology> read_anynet(std::string_view text, const std::string& where,
                                           Findings& findings);

}  // namespace orrery::platform
