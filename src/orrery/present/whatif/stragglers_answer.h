// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace stragglers`.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/stragglers/straggler_search.h"

namespace orrery::present {

/// What delays other ranks, the step without it, and its statistical significance.
void state_stragglers(report::Answer& answer, const study::StragglerReport& found);

}  // namespace orrery::present
