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

/// Whether ranks of a role do the same, with the same peers: an estimate knows no others (ring
/// attention, unequal experts, tables). Errc: config_conflict.
[[nodiscard]] Result<void> check_playable(const workload::Program& program);

/// When the last op of the step ends. All ranks of a role go in step, and nobody is in another's
/// way on the network. An op begins when those it waits for have ended (program.h); layers that
/// repeat are played until each takes what the one before took, and then taken at once: exact,
/// O(roles x tasks x ops of a few layers). Errc: as check_playable; stall: stages wait for each
/// other.
[[nodiscard]] Result<Time> play(const workload::Program& program, const OpCosts::Times& times);

}  // namespace orrery::estimate
