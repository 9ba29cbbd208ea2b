// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery critical-path`: the path by cause, and segment by segment.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/result/run.h"

namespace orrery::present {

/// `all`: every segment in order of time, not only the longest.
void state_critical_path(report::Answer& answer, const result::Run& run, bool all);

}  // namespace orrery::present
