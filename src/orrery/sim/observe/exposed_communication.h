// SPDX-License-Identifier: Apache-2.0
//
// Communication that nothing hides, by whom it is among.
#pragma once

#include <vector>

#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// RankResult::comm_only of the rank that ends last (RankResults::last) by process group, largest
/// first. Of collectives that run at once
/// it is of the one that began last, which is the one that the rank waits for; what only messages
/// take is of no group (an empty name, like collectives of all ranks that name none). The times sum
/// to comm_only where intervals do. Times have been kept. O(nodes × log nodes).
[[nodiscard]] std::vector<ExposedGroup> exposed_by_group(EngineRun& run);

}  // namespace orrery::sim
