// SPDX-License-Identifier: Apache-2.0
//
// Why a run could not finish.
#pragma once

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// What every rank that has not finished waits for. Of a run of all ranks. O(nodes).
[[nodiscard]] StallReport stall_report(const EngineRun& run, const MessageState& messages,
                                       const ChunkPool& chunks);

}  // namespace orrery::sim
