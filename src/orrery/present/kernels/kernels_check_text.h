// SPDX-License-Identifier: Apache-2.0
//
// What `orrery kernels check` says of a table, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/kernels/kernel_table_report.h"

namespace orrery::present {

[[nodiscard]] std::string kernels_check_text(const study::KernelTableReport& report,
                                             report::Style style);
[[nodiscard]] std::string kernels_check_json(const study::KernelTableReport& report);

}  // namespace orrery::present
