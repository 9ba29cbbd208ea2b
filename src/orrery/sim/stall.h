// SPDX-License-Identifier: Apache-2.0
//
// Why a run could not finish, and what its end waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/sim/chunks.h"
#include "orrery/sim/messages.h"
#include "orrery/sim/nodes.h"
#include "orrery/sim/run.h"

namespace orrery::sim {

/// What every rank that has not finished waits for. Of a run of all ranks. O(nodes).
[[nodiscard]] StallReport stall_report(const Run& run, const MessageState& messages,
                                       const Chunks& chunks);

/// The nodes whose completions led to the end of the slowest rank, first to last. A receive that
/// waited for its message takes no time on the chain: what led to it is the send, on the sender's
/// rank. Times have been kept.
[[nodiscard]] std::vector<ChainLink> longest_chain(Run& run, Nodes& nodes,
                                                   const MessageState& messages);

}  // namespace orrery::sim
