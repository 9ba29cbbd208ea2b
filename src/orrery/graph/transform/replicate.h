// SPDX-License-Identifier: Apache-2.0
//
// Replicates the work of some ranks.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Assigns the graphs of ranks with traces to `ranks` ranks in turn: with two traces, ranks 0, 2, 4
/// … repeat the first. A group that does not contain all of these ranks then becomes the group of
/// all ranks, because recorded peers do not apply to copies.
void replicate(Workload& workload, std::uint32_t ranks);

/// Checks that the ranks with traces are replicas of one data-parallel job, so that their number
/// can change. Replicas run equally many kernels of each name. They send no messages. Their
/// collectives include all ranks, are in the same order with equal sizes, and leave the same data
/// on all ranks. A single rank passes. Errc: input_unsupported, with the violated condition.
/// O(nodes log names).
[[nodiscard]] Result<void> check_replicas(const Workload& workload, const std::string& where);

}  // namespace orrery::graph
