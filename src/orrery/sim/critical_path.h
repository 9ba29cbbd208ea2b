// SPDX-License-Identifier: Apache-2.0
//
// What the end of a run waited for.
#pragma once

#include <vector>

#include "orrery/sim/messages.h"
#include "orrery/sim/nodes.h"
#include "orrery/sim/run.h"

namespace orrery::sim {

/// The nodes whose completions led to the end of the slowest rank, first to last. A receive that
/// waited for its message takes no time on the chain: what led to it is the send, on the sender's
/// rank. Times have been kept.
[[nodiscard]] std::vector<PathLink> critical_path(Run& run, Nodes& nodes,
                                                  const MessageState& messages);

}  // namespace orrery::sim
