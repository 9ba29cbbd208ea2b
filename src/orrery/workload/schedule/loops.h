// SPDX-License-Identifier: Apache-2.0
//
// Loops in a list of passes.
#pragma once

#include <span>
#include <vector>

#include "orrery/workload/program/program.h"
#include "orrery/workload/schedule/schedule.h"

namespace orrery::workload {

/// The same passes as loops: wherever passes repeat with microbatches growing by the same amount
/// each time, they stand there once. Of all ways to do so, one with the fewest passes and loops.
/// `written_out` gives back the list. O(n log² n).
[[nodiscard]] std::vector<SlotLoop> fold_slots(std::vector<Slot> slots);

/// A role's loops, task by task.
[[nodiscard]] std::vector<Task> unfold_tasks(std::span<const TaskLoop> loops);

}  // namespace orrery::workload
