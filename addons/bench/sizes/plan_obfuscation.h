// SPDX-License-Identifier: Apache-2.0
//
// Plans that reveal less of their recording.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/plan/replay_work.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// Replaces names of recorded operators and groups (intake::Aliases), and removes kernels and ids
/// of the recording. Names of called operators stay, because they are needed for the call.
void obfuscate_names(ReplayPlan& plan, std::string_view salt);

/// Smaller sizes are never changed: with few heads or channels, one more would change the kind of
/// job.
inline constexpr std::int64_t kMinHiddenSize = 16;

struct SizeObfuscation {
  std::uint64_t sizes = 0;    ///< number of distinct sizes of at least kMinHiddenSize
  std::uint64_t changed = 0;  ///< number of these that changed
  WorkRatio work;
};

/// Replays a plan once. Returns for each step whether it failed or produced sizes other than the
/// plan's.
using Trial = std::function<Result<std::vector<bool>>(const ReplayPlan&)>;

/// Replaces each size by a near one, consistently at all its places, if the operators accept it.
/// The new size differs by at most a sixteenth and is divisible by the largest power of two that
/// this allows; `salt` and the old size determine it. Sizes are tried one after another, in
/// addition to earlier changes, with up to four candidates each. A change is accepted if no step of
/// `trial` gets worse and the memory stays within `memory_limit`. To keep the total work similar,
/// larger candidates come first while the plan has less work than before, otherwise smaller ones.
/// One trial, and up to four per size. Errc: as `trial`.
[[nodiscard]] Result<SizeObfuscation> obfuscate_sizes(ReplayPlan& plan, std::string_view salt,
                                                      std::int64_t memory_limit,
                                                      const Trial& trial);

}  // namespace orrery::bench
