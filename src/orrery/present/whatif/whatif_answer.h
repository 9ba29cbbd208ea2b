// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery whatif`: what a change is worth.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::present {

void state_whatif(report::Answer& answer, const study::WhatIf& result);

}  // namespace orrery::present
