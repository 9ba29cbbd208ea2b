// SPDX-License-Identifier: Apache-2.0
//
// Process groups that nothing describes, told by what their ranks do.
#pragma once

#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Adds the groups which collectives name and nothing describes: of the ranks that have collectives
/// of that name, at least two, where all these have as many, in the order of their ids of the same
/// types and sizes. Others are left as they are: what the simulation then says of them is clear.
/// Counts group_from_order. O(nodes of distinct graphs + ranks × names that nothing describes).
void infer_groups(Workload& workload);

}  // namespace orrery::graph
