// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery calibrate overheads`.
#pragma once

#include <string>

#include "orrery/report/answer/answer.h"
#include "orrery/study/calibrate/overheads_calibration.h"

namespace orrery::present {

/// `file`: the file that was written; empty: none. For people, only the operators measured most
/// often of each kind; the file and the JSON contain all.
void state_overheads_calibration(report::Answer& answer,
                                 const study::OverheadsCalibration& calibration,
                                 const std::string& file);

}  // namespace orrery::present
