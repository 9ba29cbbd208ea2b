// SPDX-License-Identifier: Apache-2.0
//
// Checks whether a replayed recording reacts to changes as a step can.
#pragma once

#include "orrery/core/error.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/whatif_case.h"

namespace orrery::study {

/// Mean over ranks of the share of time in which the device is busy, from the start of the rank.
[[nodiscard]] double busy_share(const Outcome& outcome);

/// Replays the recording with halved times, and adds a warning if the step does not follow:
/// - step_ignores_device: the device is busy for at least 90 % of `base`, but halved device times
///   shorten the step by less than 30 %.
/// - step_ignores_changes: halved times of devices and hosts shorten the step by less than 25 %.
/// The time until the latest rank starts does not count as step. `base`: the replay without
/// changes. Errc: as WhatIfCase::estimate_step. It runs one or two replays.
[[nodiscard]] Result<void> check_consistency(const WhatIfCase& read, const Outcome& base,
                                             Findings& findings);

}  // namespace orrery::study
