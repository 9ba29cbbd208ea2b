// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery search --check`: a search space before any evaluation.
#pragma once

#include <string>

#include "orrery/explore/space/constraint_check.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// In one line: "432 combinations, of which constraints over axes leave 412".
[[nodiscard]] std::string allowed_combinations_text(const explore::SpaceCheck& space_check);

/// Programs get the object `space_check`.
void state_search_check(report::Answer& answer, const explore::SearchSpace& space,
                        const explore::SpaceCheck& space_check);

}  // namespace orrery::present
