// SPDX-License-Identifier: Apache-2.0
//
// What `orrery calibrate overheads` says, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/calibrate/overheads_calibration.h"

namespace orrery::present {

/// `file`: that was written; empty: none. Of each kind the operators are
/// listed that were measured most; all are in the file and the JSON.
[[nodiscard]] std::string calibrate_overheads_text(const study::OverheadsCalibration& answer,
                                                   const std::string& file, report::Style style);
[[nodiscard]] std::string calibrate_overheads_json(const study::OverheadsCalibration& answer,
                                                   const std::string& file);

}  // namespace orrery::present
