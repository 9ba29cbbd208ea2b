// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery goodput`.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/goodput/goodput.h"

namespace orrery::present {

void state_goodput(report::Answer& answer, const study::Goodput& goodput);

}  // namespace orrery::present
