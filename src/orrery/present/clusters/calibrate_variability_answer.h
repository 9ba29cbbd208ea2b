// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/calibrate/variability_calibration.h"

namespace orrery::present {

/// `file`: the file that was written; empty: none.
void state_variability_calibration(report::Answer& answer,
                                   const study::VariabilityCalibration& calibration,
                                   const std::string& file);

}  // namespace orrery::present
