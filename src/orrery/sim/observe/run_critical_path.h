// SPDX-License-Identifier: Apache-2.0
//
// What the end of a run waited for.
#pragma once

#include <vector>

#include "orrery/sim/collectives/collective_runner.h"
#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/ranks/nodes.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// The nodes whose completions led to the end of the slowest rank, first to last, across ranks: a
/// collective whose members wait for each other leads to the one that came last (of several the
/// lowest rank), a receive that waited for its message, and takes no time, to the send, any other
/// node to the one whose end let it start. Nobody follows into collectives over some dimensions of
/// their group, nor to receivers that announce themselves. Times have been kept. O(nodes), and
/// O(members × log members) for each collective that is followed.
[[nodiscard]] std::vector<CriticalPathNode> critical_path(EngineRun& run, Nodes& nodes,
                                                          CollectiveRunner& collectives,
                                                          const MessageState& messages);

}  // namespace orrery::sim
