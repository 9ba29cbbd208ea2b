// SPDX-License-Identifier: Apache-2.0
//
// The best plans of a job, as people and programs read them.
#pragma once

#include <string>
#include <vector>

#include "orrery/explore/plans/cluster_search.h"
#include "orrery/explore/plans/plan_search.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

[[nodiscard]] std::string search_plans_text(const explore::PlanSearch& search, report::Style style);
[[nodiscard]] std::string search_plans_json(const explore::PlanSearch& search);

/// `priced`: somebody said what devices cost.
[[nodiscard]] std::string search_clusters_text(const std::vector<explore::ClusterAnswer>& answers,
                                               bool priced, report::Style style);
[[nodiscard]] std::string search_clusters_json(const std::vector<explore::ClusterAnswer>& answers,
                                               bool priced);

}  // namespace orrery::present
