// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery kernels layers`: layers on a systolic array.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/kernels/systolic_report.h"

namespace orrery::present {

void state_systolic_layers(report::Answer& answer, const study::SystolicReport& report);

}  // namespace orrery::present
