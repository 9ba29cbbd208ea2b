// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace diff`: operations that are new, gone or slower in the second of two
// traces.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/profile/inspection/profile_difference.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

void state_diff(report::Answer& answer, const profile::ProfileDifference& difference,
                const Findings& findings);

}  // namespace orrery::present
