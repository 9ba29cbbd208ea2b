// SPDX-License-Identifier: Apache-2.0
//
// A step on machines that differ, as people and programs read it.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/variability/step_variability.h"

namespace orrery::present {

[[nodiscard]] std::string variability_text(const study::VariabilityAnswer& answer,
                                           report::Style style);
/// In the envelope of `orrery run`.
[[nodiscard]] std::string variability_json(const study::VariabilityAnswer& answer);
/// How the cost grows with scale, as a drawing; without scales, what each part costs.
[[nodiscard]] std::string variability_svg(const study::VariabilityAnswer& answer);

}  // namespace orrery::present
