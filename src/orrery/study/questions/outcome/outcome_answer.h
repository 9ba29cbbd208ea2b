// SPDX-License-Identifier: Apache-2.0
//
// A run that has just been simulated, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {

/// States the run, or why it deadlocked. JSON: the members of "result" of `orrery run`. `all`:
/// people read every kind of communication.
void state_run(report::Answer& answer, const Outcome& outcome, bool all = false);
/// The envelope that `orrery run` prints with --json.
[[nodiscard]] std::string outcome_json(const Outcome& outcome);

}  // namespace orrery::study
