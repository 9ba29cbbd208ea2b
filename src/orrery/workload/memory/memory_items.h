// SPDX-License-Identifier: Apache-2.0
//
// Lists the tensors alive at one moment, by name. Private to the memory accounting.
#pragma once

#include <vector>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/memory/memory_walk.h"
#include "orrery/workload/memory/model_state.h"

namespace orrery::workload {

/// Weights, gradients and optimizer state of the role, by part.
[[nodiscard]] std::vector<MemoryItem> state_items(const Program& program, const Role& role,
                                                  const ModelState& state);
/// Temporary tensors; their sum is `moment.live`.
[[nodiscard]] std::vector<MemoryItem> live_items(const Program& program, const Role& role,
                                                 const std::vector<ChunkProfile>& chunks,
                                                 const TaskPeak& moment);
/// Merges items of the same name, drops empty ones and sorts by size, largest first.
void sort_items(std::vector<MemoryItem>& items);

}  // namespace orrery::workload
