// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/workload.h"

namespace orrery::graph {

/// For each rank, the least rank that a chain of messages connects it with: ranks of one number are
/// the stages of one pipeline. O(nodes of all ranks).
[[nodiscard]] std::vector<std::uint32_t> pipelines(const Workload& workload);

}  // namespace orrery::graph
