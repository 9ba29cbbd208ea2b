// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/graph.h"
#include "orrery/profile/inspection/inspection.h"

namespace orrery::intake {

/// Summarizes the node times of a Chakra trace by name, as an inspection of a recorded rank. CPU
/// nodes count as operators, the others as device work. A trace has no recorded schedule; therefore
/// there are no iterations, compute_only and comm_only are plain sums, and `length` is their sum.
/// Errc: as reading.
[[nodiscard]] Result<profile::Inspection> inspect_chakra(const std::string& path,
                                                         Findings& findings);

}  // namespace orrery::intake
