// SPDX-License-Identifier: Apache-2.0
//
// A collective's ways, for people and programs.
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/terminal_text.h"
#include "orrery/study/collectives/collective_comparison.h"

namespace orrery::present {

[[nodiscard]] std::string collective_text(const study::CollectiveComparison& answer,
                                          const Findings& findings, report::Style style);
[[nodiscard]] std::string collective_json(const study::CollectiveComparison& answer,
                                          const Findings& findings);

}  // namespace orrery::present
