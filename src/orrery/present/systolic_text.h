// SPDX-License-Identifier: Apache-2.0
//
// What `orrery kernels layers` says of layers on a systolic array, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/systolic_report.h"

namespace orrery::present {

[[nodiscard]] std::string systolic_text(const study::SystolicReport& report, report::Style style);
[[nodiscard]] std::string systolic_json(const study::SystolicReport& report);

}  // namespace orrery::present
