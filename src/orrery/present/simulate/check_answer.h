// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace validate`: whether inputs can be simulated.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/questions/inputs/input_check.h"

namespace orrery::present {

void state_check(report::Answer& answer, const study::InputCheck& checked);

/// For recorded traces that are all readable, of `records` records. `mismatches`: differences
/// between their ranks.
void state_recorded_check(report::Answer& answer, const intake::Job& job, std::uint64_t records,
                          const std::vector<intake::Mismatch>& mismatches,
                          const Findings& findings);

}  // namespace orrery::present
