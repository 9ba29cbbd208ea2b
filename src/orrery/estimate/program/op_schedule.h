// SPDX-License-Identifier: Apache-2.0
//
// The step time of a program from the times of its ops, without events: streams, messages between
// stages, and collectives across stages.
#pragma once

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/workload/program/program.h"

namespace orrery::estimate {

/// Checks that a few rank classes represent all ranks (RankClasses). Programs without them cannot
/// be estimated, such as those with unevenly distributed embedding tables. Errc: config_conflict.
[[nodiscard]] Result<void> check_estimable(const workload::Program& program);

/// Returns the end of the last op of the step. Ranks of a class run in lockstep, without contention
/// on the network. An op begins when those it waits for have ended (program.h). Repeated layers are
/// scheduled until two consecutive ones have the same duration; the rest are added at once, which
/// is exact. O(rank classes × tasks × ops of a few layers; of all layers with ring attention or
/// unequal experts). Errc: as check_estimable; stall if stages deadlock.
[[nodiscard]] Result<Time> schedule_ops(const workload::Program& program,
                                        const OpCosts::ProgramCosts& times);

}  // namespace orrery::estimate
