// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/graph.h"
#include "orrery/profile/inspection/inspection.h"

namespace orrery::intake {

/// What a Chakra trace's nodes take, by name, as an inspection of a recorded rank: nodes of the CPU
/// as operators, the others as device work. Nothing is known about when they ran: no iterations;
/// compute_only and comm_only are plain sums, and `length` is both together.
[[nodiscard]] profile::Inspection inspect_graph(const graph::Graph& graph);

/// The same for a file. Errc: as reading says.
[[nodiscard]] Result<profile::Inspection> inspect_chakra(const std::string& path,
                                                         Findings& findings);

}  // namespace orrery::intake
