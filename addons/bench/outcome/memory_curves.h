// SPDX-License-Identifier: Apache-2.0
//
// What memory a step takes as it goes on: recorded and replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/recording/inner_operators.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Bytes beyond what was there before the first operator, by recorded operator.
struct MemoryCurve {
  std::vector<std::int64_t> most;           ///< while it ran
  std::vector<std::int64_t> held;           ///< after it
  [[nodiscard]] std::int64_t peak() const;  ///< 0 of nothing
};

struct MemoryCurves {
  MemoryCurve recorded, replayed;
  bool profiled = false;  ///< recorded as it was allocated, else by lifetimes

  /// The replay's peak by the recorded one, less 1. Empty where nothing was recorded.
  [[nodiscard]] std::optional<double> peak_change() const;
  /// The mean distance of the curves, as a part of the recorded peak. Empty as above.
  [[nodiscard]] std::optional<double> mean_distance() const;
};

/// By lifetimes of the recorded tensors, those inside of replayed operators too: a storage lives
/// from the first operator that makes it to the last that uses it. What is held longer, or within
/// one operator that calls none, no execution trace tells.
[[nodiscard]] MemoryCurve recorded_memory(const profile::Profile& profile,
                                          const InnerOperators& inside, const ReplayPlan& plan);

/// As a profiler has recorded what was allocated: on the device where anything was, else on the
/// host. Empty where it has not, or operators have no times.
[[nodiscard]] MemoryCurve profiled_memory(const profile::Profile& profile, const ReplayPlan& plan);

/// As it was allocated.
[[nodiscard]] MemoryCurve replayed_memory(const ReplayPlan& plan, const ReplayOutcome& outcome);

}  // namespace orrery::bench
