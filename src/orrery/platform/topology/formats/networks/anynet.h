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

/// The other direction of a channel is there, too; where the file does not name it, BookSim gives
/// it one cycle. How long a cycle is stands nowhere: it becomes a nanosecond (default_assumed).
/// Bandwidths stay open. Errc: input_corrupt, input_range, limit_exceeded.
[[nodiscard]] Result<Topology> read_anynet(std::string_view text, const std::string& where,
                                           Findings& findings);

}  // namespace orrery::platform
