// SPDX-License-Identifier: Apache-2.0
//
// What is new, gone or slower in the second of two traces.
#pragma once

#include <string>

#include "orrery/core/findings.h"
#include "orrery/profile/inspection/profile_difference.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

[[nodiscard]] std::string diff_text(const profile::ProfileDifference& difference,
                                    report::Style style);
[[nodiscard]] std::string diff_json(const profile::ProfileDifference& difference,
                                    const Findings& findings);

}  // namespace orrery::present
