// SPDX-License-Identifier: Apache-2.0
//
// Breaks down exposed communication by process group.
#pragma once

#include <vector>

#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// RankResult::comm_only of the rank that ends last (RankResults::last) by process group, largest
/// first. If collectives overlap, the time belongs to the one that began last, because the rank
/// waits for that one. Time with messages only belongs to no group: an empty name, as for
/// collectives of all ranks without a group name. The times sum to comm_only, if the intervals of
/// the nodes do. Requires a run that has stored its times. O(nodes × log nodes).
[[nodiscard]] std::vector<ExposedGroup> exposed_by_group(EngineRun& run);

}  // namespace orrery::sim
