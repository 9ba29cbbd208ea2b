// SPDX-License-Identifier: Apache-2.0
//
// The answers of `orrery search` for a job: its best plans on one cluster or on several.
#pragma once

#include <vector>

#include "orrery/explore/plans/cluster_search.h"
#include "orrery/explore/plans/plan_search.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

void state_search_plans(report::Answer& answer, const explore::PlanSearch& search,
                        const explore::BudgetQuestion& budget);

/// The best plan of each cluster. `priced`: device prices are given.
void state_search_clusters(report::Answer& answer,
                           const std::vector<explore::ClusterAnswer>& clusters, bool priced,
                           const explore::BudgetQuestion& budget);

}  // namespace orrery::present
