// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Errc: input_unsupported where a rank of `after` sends another more or fewer messages than that
/// one receives of it, and of `before` did not. `what`: that made it of that. O(messages of all
/// ranks × log pairs of ranks).
[[nodiscard]] Result<void> check_messages_match(const Workload& before, const Workload& after,
                                                const std::string& what);

}  // namespace orrery::graph
