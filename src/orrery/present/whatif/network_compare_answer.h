// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery network compare`: one column per network.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/whatif/network_comparison.h"

namespace orrery::present {

void state_network_comparison(report::Answer& answer, const study::NetworkComparison& comparison);

}  // namespace orrery::present
