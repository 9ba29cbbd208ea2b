// SPDX-License-Identifier: Apache-2.0
//
// Why a run could not finish.
#pragma once

#include "orrery/sim/chunks.h"
#include "orrery/sim/messages.h"
#include "orrery/sim/run.h"

namespace orrery::sim {

/// What every rank that has not finished waits for. Of a run of all ranks. O(nodes).
[[nodiscard]] StallReport stall_report(const Run& run, const MessageState& messages,
                                       const Chunks& chunks);

}  // namespace orrery::sim
