// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery mfu`.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/validate/mfu_comparison.h"

namespace orrery::present {

void state_mfu(report::Answer& answer, const validate::MfuComparison& compared);

}  // namespace orrery::present
