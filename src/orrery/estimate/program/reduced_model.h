// SPDX-License-Identifier: Apache-2.0
//
// Steps whose collectives share links, held against simulations of a few of their layers and
// microbatches.
#pragma once

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/workload/program/program.h"

namespace orrery::estimate {

/// As `play`; and where ops of several kinds of groups may share links (no library runs
/// collectives), with what it lacks of the same job with few layers and microbatches, simulated and
/// played at two numbers of each and taken to grow evenly with both. A schedule that has no fewer
/// microbatches is only played. Errc: as `play`, and those of simulations.
[[nodiscard]] Result<Time> estimate_program(const workload::Program& program, OpCosts& costs);

}  // namespace orrery::estimate
