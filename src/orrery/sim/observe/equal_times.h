// SPDX-License-Identifier: Apache-2.0
//
// Finds ranks whose nodes ran at the same times.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/sim/engine/state/node_layout.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// By simulated rank: the first rank with the same graph whose nodes started and ended at the same
/// times, released by the same nodes. `graphs`: the graph of each rank; `layout`: where `times`
/// stores its nodes. Reads the times once, in the order in which they are stored: O(nodes of all
/// ranks), and O(nodes) more for each distinct rank.
[[nodiscard]] std::vector<std::uint32_t> find_equal_times(
    const std::vector<const graph::Graph*>& graphs, const NodeLayout& layout,
    const std::vector<NodeTimes>& times);

}  // namespace orrery::sim
