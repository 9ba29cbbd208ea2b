// SPDX-License-Identifier: Apache-2.0
//
// What `orrery calibrate network` says, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/calibrate/network_calibration.h"

namespace orrery::present {

/// `curves`, `tuner`: the files that were written; empty: none.
[[nodiscard]] std::string calibrate_network_text(const study::NetworkCalibrationAnswer& answer,
                                                 const std::string& curves,
                                                 const std::string& tuner, report::Style style);
[[nodiscard]] std::string calibrate_network_json(const study::NetworkCalibrationAnswer& answer,
                                                 const std::string& curves,
                                                 const std::string& tuner);

/// Held-back sizes against what the others say of them, as a drawing.
[[nodiscard]] std::string calibrate_network_svg(const study::NetworkCalibrationAnswer& answer);

}  // namespace orrery::present
