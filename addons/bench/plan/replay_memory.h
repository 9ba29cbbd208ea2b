// SPDX-License-Identifier: Apache-2.0
//
// How long a plan's tensors live, and what memory they take together.
#pragma once

#include <cstdint>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// Fills Step::last: every slot is let go by the last step that uses or makes it. Those that exist
/// before the first step are not.
void find_last_uses(ReplayPlan& plan);

/// Fills what the plan needs, by recorded sizes. Errc: limit_exceeded where that, or one tensor by
/// itself, is more than `limit`; nothing has been allocated then.
[[nodiscard]] Result<void> plan_memory(ReplayPlan& plan, std::int64_t limit);

}  // namespace orrery::bench
