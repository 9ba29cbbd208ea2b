// SPDX-License-Identifier: Apache-2.0
//
// Infers the members of process groups that the workload does not describe.
#pragma once

#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Adds process groups that collectives name but the workload does not describe. The members of
/// such a group are all ranks with collectives of that name. The function adds the group if it has
/// at least two members, and all of them have the same sequence of types and sizes in the order of
/// node ids. Other groups stay undescribed, and the simulation reports them. Finding:
/// group_from_order. O(nodes of distinct graphs + ranks × undescribed names).
void infer_groups(Workload& workload);

}  // namespace orrery::graph
