// SPDX-License-Identifier: Apache-2.0
//
// What `orrery calibrate compute` says, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/calibrate/compute_calibration.h"

namespace orrery::present {

/// `table`, `model`: the files that were written; empty: none.
[[nodiscard]] std::string calibrate_compute_text(const study::ComputeCalibration& answer,
                                                 const std::string& table, const std::string& model,
                                                 report::Style style);
[[nodiscard]] std::string calibrate_compute_json(const study::ComputeCalibration& answer,
                                                 const std::string& table,
                                                 const std::string& model);

}  // namespace orrery::present
