// SPDX-License-Identifier: Apache-2.0
//
// Finds races: two steps that access one place without an order, at least one of them writing.
// Private to this folder.
#pragma once

#include <vector>

#include "orrery/synthesis/plans/plan_order.h"
#include "orrery/synthesis/plans/plan_places.h"

namespace orrery::synthesis {

/// Returns the races of a plan with a complete order; each pair of steps once, in the order of the
/// plan.
[[nodiscard]] std::vector<PlanError> find_races(const Plan& plan, const PlanOrder& order,
                                                const PlanPlaces& places);

}  // namespace orrery::synthesis
