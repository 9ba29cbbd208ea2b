// SPDX-License-Identifier: Apache-2.0
//
// A circle of waits, found and told. Private to this room.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/synthesis/order.h"

namespace orrery::synthesis {

/// Adds the error. `waits`: by step, for how many steps it still waits; some do, and only for each
/// other.
void add_circle(const Plan& plan, const std::vector<std::uint32_t>& waits, PlanOrder& order);

}  // namespace orrery::synthesis
