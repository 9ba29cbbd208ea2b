// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/calibrate_variability.h"

namespace orrery::present {

/// `file`: that was written; empty: none.
[[nodiscard]] std::string measured_variability_text(const study::VariabilityCalibration& made,
                                                    const std::string& file, report::Style style);
[[nodiscard]] std::string measured_variability_json(const study::VariabilityCalibration& made,
                                                    const std::string& file);

}  // namespace orrery::present
