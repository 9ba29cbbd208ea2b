// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/calibrate/variability_calibration.h"

namespace orrery::present {

/// `file`: that was written; empty: none.
[[nodiscard]] std::string calibrate_variability_text(const study::VariabilityCalibration& made,
                                                     const std::string& file, report::Style style);
[[nodiscard]] std::string calibrate_variability_json(const study::VariabilityCalibration& made,
                                                     const std::string& file);

}  // namespace orrery::present
