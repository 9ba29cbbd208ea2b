// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Checks the sends and receives of `after`, a changed copy of `before`. Errc: input_unsupported if
/// a rank sends another one more or fewer messages than that rank receives from it, and did not do
/// so in `before`. `what`: the change, for the error message. O(messages of all ranks × log pairs
/// of ranks).
[[nodiscard]] Result<void> check_messages_match(const Workload& before, const Workload& after,
                                                const std::string& what);

}  // namespace orrery::graph
