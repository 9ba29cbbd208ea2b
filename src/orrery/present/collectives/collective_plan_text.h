// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/collectives/collective_plan.h"

namespace orrery::present {

[[nodiscard]] std::string collective_plan_text(const study::CollectivePlanAnswer& answer,
                                               const Findings& findings, report::Style style);
[[nodiscard]] std::string collective_plan_json(const study::CollectivePlanAnswer& answer,
                                               const Findings& findings);

/// Several: each, then all at once.
[[nodiscard]] std::string collective_plans_text(const study::CollectivePlansAnswer& answer,
                                                const Findings& findings, report::Style style);
[[nodiscard]] std::string collective_plans_json(const study::CollectivePlansAnswer& answer,
                                                const Findings& findings);

}  // namespace orrery::present
