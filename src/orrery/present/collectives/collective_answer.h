// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery collective compare`: the algorithms of a collective compared.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/collectives/collective_comparison.h"

namespace orrery::present {

void state_collective(report::Answer& answer, const study::CollectiveComparison& comparison,
                      const Findings& findings);
/// Members of a bound, for programs.
void state_bound(report::Answer& answer, const synthesis::Bound& bound);

}  // namespace orrery::present
