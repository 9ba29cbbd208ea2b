// SPDX-License-Identifier: Apache-2.0
//
// What is alive at one moment, by name. Private to the memory accounting.
#pragma once

#include <vector>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/memory/memory_walk.h"
#include "orrery/workload/memory/model_state.h"

namespace orrery::workload {

/// The state of the role's weights, part by part.
[[nodiscard]] std::vector<MemoryItem> state_items(const Program& program, const Role& role,
                                                  const ModelState& state);
/// What comes and goes; adds up to `moment.alive`.
[[nodiscard]] std::vector<MemoryItem> alive_items(const Program& program, const Role& role,
                                                  const std::vector<ChunkProfile>& chunks,
                                                  const TaskPeak& moment);
/// Largest first; those of one name together, nothing of no size.
void sort_items(std::vector<MemoryItem>& items);

}  // namespace orrery::workload
