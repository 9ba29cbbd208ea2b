// SPDX-License-Identifier: Apache-2.0
//
// A memory account by node instead of by task.
#pragma once

#include <vector>

#include "orrery/graph/held_memory.h"
#include "orrery/graph/workload.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// By graph of `workload`, which was made of `program`: what its ranks hold, as `report` says.
/// Roles whose samples were not kept have no stretches. O(ranks + tasks).
[[nodiscard]] std::vector<graph::HeldMemory> graph_memory(const Program& program,
                                                          const MemoryReport& report,
                                                          const graph::Workload& workload);

}  // namespace orrery::workload
