// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orrery/graph/graph.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Roofline time of a compute node: operations at min(peak, memory bandwidth × operational
/// intensity). ASTRA rules: whole nanoseconds, truncated, in that simulator's order of operations.
/// Orrery rules: picoseconds, rounded up, max(operations / peak, bytes / bandwidth). Zero
/// operations and zero bytes last no time. Empty: the time exceeds the range of Time. Source:
/// Williams, Waterman, Patterson, "Roofline" (CACM 2009).
[[nodiscard]] std::optional<Time> roofline_time(graph::Work work, const platform::Device& device,
                                                platform::Rules rules);

}  // namespace orrery::model
