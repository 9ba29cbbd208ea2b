// SPDX-License-Identifier: Apache-2.0
//
// Detects loops in a list of passes.
#pragma once

#include <vector>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

/// Returns the passes as loops: passes that repeat with evenly growing microbatches are stored
/// once. The result is a solution with the fewest passes and loops. `expand_loops` returns the
/// original list. O(n log² n).
[[nodiscard]] std::vector<SlotLoop> fold_slots(std::vector<Slot> slots);

}  // namespace orrery::workload
