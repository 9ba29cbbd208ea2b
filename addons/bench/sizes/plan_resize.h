// SPDX-License-Identifier: Apache-2.0
//
// Changes the sizes of a plan: a smaller batch, a shorter sequence.
#pragma once

#include <cstdint>
#include <string_view>

#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/plan/replay_work.h"
#include "addons/bench/sizes/plan_obfuscation.h"
#include "addons/bench/sizes/sizes.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// "128=32,64=16": free sizes and their new values. Errc: usage.
[[nodiscard]] Result<SizeChanges> parse_size_changes(std::string_view text);

/// Replaces the given sizes at all their places, and their products accordingly (Sizes). Needs two
/// trials: of the old and of the new plan. Errc: usage (a size does not occur or is a product of
/// others; changes are inconsistent; an operator rejects its sizes, by name), limit_exceeded (more
/// than `memory_limit`), as `trial`. On error, the plan is unchanged.
[[nodiscard]] Result<WorkRatio> resize(ReplayPlan& plan, const SizeChanges& changes,
                                       std::int64_t memory_limit, const Trial& trial);

}  // namespace orrery::bench
