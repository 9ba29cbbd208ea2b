// SPDX-License-Identifier: Apache-2.0
//
// A finished (or stalled) run for people.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/outcome.h"

namespace orrery::present {

/// A dozen lines for people; `all`: however many it takes.
[[nodiscard]] std::string summary_text(const study::Outcome& outcome, report::Style style,
                                       bool all = false);
/// Why the run could not finish, for people.
[[nodiscard]] std::string stall_text(const study::Outcome& outcome, report::Style style);

}  // namespace orrery::present
