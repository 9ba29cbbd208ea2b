// SPDX-License-Identifier: Apache-2.0
//
// Corrects estimates of steps in which collectives share links, with simulations of a few layers
// and microbatches.
#pragma once

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/workload/program/program.h"

namespace orrery::estimate {

/// The result of schedule_ops(). If ops of several kinds of groups may share links (no library runs
/// collectives), it adds the difference to a simulation. This difference is measured for the same
/// job with few layers and microbatches, at two numbers of each, and extrapolated linearly in both.
/// Without correction if the schedule does not support fewer microbatches. Errc: as schedule_ops,
/// and those of simulations.
[[nodiscard]] Result<Time> estimate_program(const workload::Program& program, OpCosts& costs);

/// The same with a known result of schedule_ops(), `scheduled`.
[[nodiscard]] Result<Time> correct_estimate(const workload::Program& program, Time scheduled,
                                            OpCosts& costs);

}  // namespace orrery::estimate
