// SPDX-License-Identifier: Apache-2.0
//
// Converts a schedule to a plan of thread blocks and steps, which collective libraries run.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/synthesis/plans/plan.h"
#include "orrery/synthesis/schedules/schedule.h"

namespace orrery::synthesis {

/// One chunk of the plan is one piece. Each rank has a block per route to a receiver and a block
/// per route from a sender, with steps in the order of the schedule. A step that accesses a place
/// waits for earlier accesses by other blocks. A plan has the order of the schedule but not its
/// times; the library determines the load of links. All-to-alls are out of place, with scratch for
/// forwarded pieces; other collectives are in place. Errc: input_unsupported (several groups,
/// relays that are no ranks, empty pieces), limit_exceeded (plan_limits.h).
[[nodiscard]] Result<Plan> plan_of_schedule(const Schedule& schedule, std::string name);

/// As above, with one plan per group. Plans do not express how groups share links; if all run
/// concurrently, the links determine the time. With several groups a plan's name ends with the
/// group's number, from 1. Errc: as above.
[[nodiscard]] Result<std::vector<Plan>> plans_of_schedule(const Schedule& schedule,
                                                          const std::string& name);

}  // namespace orrery::synthesis
