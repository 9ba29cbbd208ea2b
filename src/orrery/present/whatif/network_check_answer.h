// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery network check`: one row per network model.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/whatif/network_check.h"

namespace orrery::present {

void state_network_check(report::Answer& answer, const study::NetworkCheck& check);

}  // namespace orrery::present
