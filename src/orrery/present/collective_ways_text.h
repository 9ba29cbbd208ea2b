// SPDX-License-Identifier: Apache-2.0
//
// A collective's ways, for people and programs.
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/report/text.h"
#include "orrery/study/collective_ways.h"

namespace orrery::present {

[[nodiscard]] std::string collective_ways_text(const study::WaysAnswer& answer,
                                               const Findings& findings, report::Style style);
[[nodiscard]] std::string collective_ways_json(const study::WaysAnswer& answer,
                                               const Findings& findings);

}  // namespace orrery::present
