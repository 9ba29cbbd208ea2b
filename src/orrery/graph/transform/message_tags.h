// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// The workload with messages of one tag: from one rank to another they are matched in order, so
/// that more of them can be put in between. Errc: input_mismatch where somebody receives in another
/// order than is sent. O(nodes of all ranks).
[[nodiscard]] Result<Workload> remove_message_tags(const Workload& workload);

}  // namespace orrery::graph
