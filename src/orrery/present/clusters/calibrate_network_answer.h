// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery calibrate network`.
#pragma once

#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/calibrate/network_calibration.h"

namespace orrery::present {

/// `curves`, `tuner`: the files that were written; empty: none.
void state_network_calibration(report::Answer& answer,
                               const study::NetworkCalibrationAnswer& calibration,
                               const std::string& curves, const std::string& tuner);

/// Plot of held-out sizes: measured against predicted from the other sizes.
[[nodiscard]] std::string calibrate_network_svg(const study::NetworkCalibrationAnswer& answer);

}  // namespace orrery::present
