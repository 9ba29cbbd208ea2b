// SPDX-License-Identifier: Apache-2.0
//
// Loops in a list of passes.
#pragma once

#include <vector>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

/// The same passes as loops: wherever passes repeat with microbatches growing by the same amount
/// each time, they stand there once. Of all ways to do so, one with the fewest passes and loops.
/// `expand_loops` gives back the list. O(n log² n).
[[nodiscard]] std::vector<SlotLoop> fold_slots(std::vector<Slot> slots);

}  // namespace orrery::workload
