// SPDX-License-Identifier: Apache-2.0
//
// The memory estimate by node instead of by task: within a pass layer by layer.
#pragma once

#include <vector>

#include "orrery/graph/held_memory.h"
#include "orrery/graph/workload.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Memory of the ranks of each graph of `workload`, from `report`. `workload` must be built from
/// `program`. A forward pass adds the activations of each layer as it reaches the layer, a backward
/// pass releases them in turn (see profile_chunk); the maximum of a pass is its sample in `report`.
/// With more than 2^20 such segments in total, each pass is one segment. `segments` is empty for
/// roles without samples. O(ranks + segments).
[[nodiscard]] std::vector<graph::HeldMemory> graph_memory(const Program& program,
                                                          const MemoryReport& report,
                                                          const graph::Workload& workload);

}  // namespace orrery::workload
