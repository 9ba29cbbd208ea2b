// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// The workload with all message tags set to 0: messages between two ranks then match in order, so
/// that edits can insert more. Errc: input_mismatch if a rank receives in another order than its
/// peer sends. O(nodes of all ranks).
[[nodiscard]] Result<Workload> remove_message_tags(const Workload& workload);

}  // namespace orrery::graph
