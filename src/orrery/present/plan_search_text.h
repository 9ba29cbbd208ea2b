// SPDX-License-Identifier: Apache-2.0
//
// The best plans of a job, as people and programs read them.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/search/plans/plan_search.h"

namespace orrery::present {

[[nodiscard]] std::string plan_search_text(const search::PlanSearch& search, report::Style style);
[[nodiscard]] std::string plan_search_json(const search::PlanSearch& search);

}  // namespace orrery::present
