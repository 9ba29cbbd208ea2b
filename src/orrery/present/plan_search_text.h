// SPDX-License-Identifier: Apache-2.0
//
// The best plans of a job, as people and programs read them.
#pragma once

#include <string>
#include <vector>

#include "orrery/report/text.h"
#include "orrery/search/plans/cluster_search.h"
#include "orrery/search/plans/plan_search.h"

namespace orrery::present {

[[nodiscard]] std::string plan_search_text(const search::PlanSearch& search, report::Style style);
[[nodiscard]] std::string plan_search_json(const search::PlanSearch& search);

/// `priced`: somebody said what devices cost.
[[nodiscard]] std::string cluster_search_text(const std::vector<search::ClusterAnswer>& answers,
                                              bool priced, report::Style style);
[[nodiscard]] std::string cluster_search_json(const std::vector<search::ClusterAnswer>& answers,
                                              bool priced);

}  // namespace orrery::present
