// SPDX-License-Identifier: Apache-2.0
//
// Break-even conditions: what an alternative point of a space needs to match the best.
#pragma once

#include <string>

#include "orrery/explore/explore.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// "exposed -60.2 %", "a device hour at 1.7, not 2.5", "both with nic 400"
[[nodiscard]] std::string need_text(const explore::BreakEven& one);

/// A heading and a table, if there are alternatives; a list for programs.
void state_competitors(report::Answer& answer, const explore::SearchSpace& space,
                       const explore::ExplorationResult& explored);

}  // namespace orrery::present
