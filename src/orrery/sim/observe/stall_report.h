// SPDX-License-Identifier: Apache-2.0
//
// The reasons why a run could not finish.
#pragma once

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// What each unfinished rank waits for. Requires a run of all ranks. O(nodes).
[[nodiscard]] StallReport stall_report(const EngineRun& run, const MessageState& messages,
                                       const ChunkPool& chunks);

}  // namespace orrery::sim
