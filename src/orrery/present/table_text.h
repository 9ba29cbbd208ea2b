// SPDX-License-Identifier: Apache-2.0
//
// What `orrery kernels check` says of a table, as text and as JSON.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/table_report.h"

namespace orrery::present {

[[nodiscard]] std::string table_text(const study::TableReport& report, report::Style style);
[[nodiscard]] std::string table_json(const study::TableReport& report);

}  // namespace orrery::present
