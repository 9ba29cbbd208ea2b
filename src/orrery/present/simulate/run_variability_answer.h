// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery run --variability`: a step time distribution under device variability.
#pragma once

#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/variability/step_variability.h"

namespace orrery::present {

void state_variability(report::Answer& answer, const study::VariabilityAnswer& result);
/// Plot of the cost by scale; without scales, of the cost of each part.
[[nodiscard]] std::string variability_svg(const study::VariabilityAnswer& result);

}  // namespace orrery::present
