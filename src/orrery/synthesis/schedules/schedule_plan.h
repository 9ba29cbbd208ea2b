// SPDX-License-Identifier: Apache-2.0
//
// A schedule as a plan of thread blocks and steps, which collective libraries run.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/synthesis/plans/plan.h"
#include "orrery/synthesis/schedules/schedule.h"

namespace orrery::synthesis {

/// One chunk of the plan is one piece. Each rank has a block for each way to someone whom it sends
/// to and one for each from whom it receives, with steps in the order of the schedule; a step that
/// touches what another block has touched comes after that. Times are no part of a plan: it keeps
/// the schedule's order, and its links are as busy as the library makes them. All-to-alls are out
/// of place, with scratch for what is sent on; all else is in place. Errc: input_unsupported
/// (several groups, devices that relay and are no rank, pieces of no bytes), limit_exceeded
/// (plan_limits.h).
[[nodiscard]] Result<Plan> plan_of_schedule(const Schedule& schedule, std::string name);

/// A plan for each group, as above: what its ranks do, in the order of the schedule. What groups
/// are to each other is in no plan; where they share links, all at once take the time that links
/// then leave them. Of several groups a name has the group's number, from 1. Errc: as above.
[[nodiscard]] Result<std::vector<Plan>> plans_of_schedule(const Schedule& schedule,
                                                          const std::string& name);

}  // namespace orrery::synthesis
