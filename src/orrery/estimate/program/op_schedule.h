// SPDX-License-Identifier: Apache-2.0
//
// A step of a program from the times of its ops: streams, messages between stages and collectives
// across them, without events.
#pragma once

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/workload/program/program.h"

namespace orrery::estimate {

/// Whether few ranks stand for all (Cast): an estimate knows no others (tables that are not spread
/// evenly). Errc: config_conflict.
[[nodiscard]] Result<void> check_estimable(const workload::Program& program);

/// When the last op of the step ends. All ranks of a role go in step, and nobody is in another's
/// way on the network. An op begins when those it waits for have ended (program.h); layers that
/// repeat are played until each takes what the one before took, and then taken at once: exact,
/// O(players x tasks x ops of a few layers; of all layers with ring attention or unequal experts).
/// Errc: as check_estimable; stall: stages wait for each other.
[[nodiscard]] Result<Time> schedule_ops(const workload::Program& program,
                                        const OpCosts::Times& times);

}  // namespace orrery::estimate
