// SPDX-License-Identifier: Apache-2.0
//
// The memory estimate by node instead of by task.
#pragma once

#include <vector>

#include "orrery/graph/held_memory.h"
#include "orrery/graph/workload.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Memory of the ranks of each graph of `workload`, from `report`. `workload` must be built from
/// `program`. `segments` is empty for roles without samples. O(ranks + tasks).
[[nodiscard]] std::vector<graph::HeldMemory> graph_memory(const Program& program,
                                                          const MemoryReport& report,
                                                          const graph::Workload& workload);

}  // namespace orrery::workload
