// SPDX-License-Identifier: Apache-2.0
//
// What `orrery kernels layers` says of layers on a systolic array, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/kernels/systolic_report.h"

namespace orrery::present {

[[nodiscard]] std::string kernels_layers_text(const study::SystolicReport& report,
                                              report::Style style);
[[nodiscard]] std::string kernels_layers_json(const study::SystolicReport& report);

}  // namespace orrery::present
