// SPDX-License-Identifier: Apache-2.0
//
// Lifetimes of a plan's tensors, and their total memory.
#pragma once

#include <cstdint>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// Fills Step::last: each slot is released by the last step that uses or creates it. Slots that
/// exist before the first step are never released.
void find_last_uses(ReplayPlan& plan);

/// Fills the memory requirements of the plan, from recorded sizes. Allocates nothing. Errc:
/// limit_exceeded if the total, or one tensor, exceeds `limit`.
[[nodiscard]] Result<void> plan_memory(ReplayPlan& plan, std::int64_t limit);

}  // namespace orrery::bench
