// SPDX-License-Identifier: Apache-2.0
//
// One rank's work for many.
#pragma once

#include <cstdint>

#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Lets `ranks` ranks do what rank 0 does. The peers recorded with one rank are not those of its
/// copies: a group that does not have all of them becomes one that does.
void replicate(Workload& workload, std::uint32_t ranks);

}  // namespace orrery::graph
