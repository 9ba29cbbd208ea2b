// SPDX-License-Identifier: Apache-2.0
//
// Steps whose collectives share links, held against simulations of a few of their layers and
// microbatches.
#pragma once

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/study/inputs.h"
#include "orrery/workload/program/program.h"

namespace orrery::estimate {

/// Whether ops get in each other's way on a cluster's links, which `play` tells roughly: fabrics
/// without a library.
[[nodiscard]] bool links_are_shared(const study::Cluster& cluster);

/// As `play`; and where links are shared by ops of several kinds of groups, with what it lacks of
/// the same job with few layers and microbatches, simulated and played at two numbers of each and
/// taken to grow evenly with both. A schedule that has no fewer microbatches is only played. Errc:
/// as `play`, and those of simulations.
[[nodiscard]] Result<Time> estimated(const workload::Program& program, OpCosts& costs);

}  // namespace orrery::estimate
