// SPDX-License-Identifier: Apache-2.0
//
// The answers of `orrery collective check`.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/collectives/collective_plan.h"

namespace orrery::present {

void state_collective_plan(report::Answer& answer, const study::CollectivePlanAnswer& plan,
                           const Findings& findings);
/// Several plans: each, then all at once.
void state_collective_plans(report::Answer& answer, const study::CollectivePlansAnswer& plans,
                            const Findings& findings);

}  // namespace orrery::present
