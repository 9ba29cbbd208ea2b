// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace info` for dumps of PyTorch's flight recorder.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/intake/flight_records/hang_report.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// The process groups, what is stuck and why; for programs, every collective.
void state_hangs(report::Answer& answer, const intake::HangReport& found, const Findings& findings);

}  // namespace orrery::present
