// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace scale-down`: a scaled-down job compared with the original.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/scale_down/scale_down.h"

namespace orrery::present {

void state_scale_down(report::Answer& answer, const study::ScaleDown& result);

}  // namespace orrery::present
