// SPDX-License-Identifier: Apache-2.0
//
// A plan in other sizes: a smaller batch, a shorter sequence.
#pragma once

#include <cstdint>
#include <string_view>

#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/sizes/plan_obfuscation.h"
#include "addons/bench/sizes/sizes.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// "128=32,64=16": free sizes and what they become. Errc: usage.
[[nodiscard]] Result<SizeChanges> parse_size_changes(std::string_view text);

struct ResizeRatio {
  double bytes = 1, flops = 1;  ///< of the new plan, over the old one's (PlanWork); 1: of nothing
};

/// Gives the sizes asked for their new values wherever they stand, and products theirs (Sizes).
/// Two trials: of the plan as it is and as it becomes. Errc: usage (a size that is nowhere, or the
/// product of others; what does not fit together; an operator that does not agree, by name),
/// limit_exceeded (more than `memory_limit`), as `trial`. The plan is then as it was.
[[nodiscard]] Result<ResizeRatio> resize(ReplayPlan& plan, const SizeChanges& changes,
                                         std::int64_t memory_limit, const Trial& trial);

}  // namespace orrery::bench
