// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a run.
#pragma once

#include <vector>

#include "orrery/sim/collectives/collective_runner.h"
#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/ranks/nodes.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// The nodes whose completions led to the end of the slowest rank, first to last, across ranks.
/// From a collective that waited for its members, the path continues at the member that arrived
/// last (of several, the lowest rank). From a receive that waited for its message, it continues at
/// the send, and the receive takes no time. From any other node, it continues at the node whose end
/// released it. The path does not enter collectives over some dimensions of their group, and does
/// not follow receivers that announce themselves. Requires a run that has stored its times.
/// O(nodes), and O(members × log members) for each collective on the path.
[[nodiscard]] std::vector<CriticalPathNode> critical_path(EngineRun& run, Nodes& nodes,
                                                          CollectiveRunner& collectives,
                                                          const MessageState& messages);

}  // namespace orrery::sim
