// SPDX-License-Identifier: Apache-2.0
//
// Plans that tell less of the recording that they came of.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// Names of recorded operators and of groups become other ones (intake::Aliases); kernels and the
/// recording's ids go. What is called keeps its name: it could not be called without.
void obfuscate_names(ReplayPlan& plan, std::string_view salt);

/// Sizes below this stay: of few heads or channels one more would be another job.
inline constexpr std::int64_t kMinHiddenSize = 16;

struct SizeObfuscation {
  std::uint64_t sizes = 0;      ///< different ones of kMinHiddenSize and more
  std::uint64_t changed = 0;    ///< … that are others now
  double bytes = 1, flops = 1;  ///< of the new plan, over the old one's (PlanWork); 1: of nothing
};

/// Plays a plan once: by step, whether it failed or made other sizes than the plan says.
using Trial = std::function<Result<std::vector<bool>>(const ReplayPlan&)>;

/// Every size that operators agree to becomes a near one, the same one wherever it stands, up to a
/// sixteenth away and as divisible by a power of two as that allows; which one depends on the size
/// and on `salt`. Each is tried by itself, added to those before, with up to four near ones: it
/// changes when `trial` says that no step works less well than it did, and nothing needs more than
/// `memory_limit`. Work is kept near: larger ones are tried first while it is less than before, and
/// else smaller ones. One trial, and up to four for each size. Errc: as `trial`.
[[nodiscard]] Result<SizeObfuscation> obfuscate_sizes(ReplayPlan& plan, std::string_view salt,
                                                      std::int64_t memory_limit,
                                                      const Trial& trial);

}  // namespace orrery::bench
