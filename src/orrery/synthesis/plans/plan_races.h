// SPDX-License-Identifier: Apache-2.0
//
// Steps that touch one place, one of them writing, with nothing that says which is first. Private
// to this room.
#pragma once

#include <vector>

#include "orrery/synthesis/plans/plan_order.h"
#include "orrery/synthesis/plans/plan_places.h"

namespace orrery::synthesis {

/// Of a plan whose order is whole; each pair of steps once, in the order of the plan.
[[nodiscard]] std::vector<PlanError> find_races(const Plan& plan, const PlanOrder& order,
                                                const PlanPlaces& places);

}  // namespace orrery::synthesis
