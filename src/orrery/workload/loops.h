// SPDX-License-Identifier: Apache-2.0
//
// Loops in a list of tasks.
#pragma once

#include <span>
#include <vector>

#include "orrery/workload/program.h"

namespace orrery::workload {

/// The same tasks as loops: wherever tasks repeat with microbatches growing by the same amount each
/// time, they stand there once. Of all ways to do so, one with the fewest tasks and loops.
/// `unfold_tasks` gives back the list. O(n log² n).
[[nodiscard]] std::vector<TaskLoop> fold_tasks(std::vector<Task> tasks);

/// The loops, written out.
[[nodiscard]] std::vector<Task> unfold_tasks(std::span<const TaskLoop> loops);

}  // namespace orrery::workload
