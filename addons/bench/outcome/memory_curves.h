// SPDX-License-Identifier: Apache-2.0
//
// The memory of a step over time: recorded and replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/recording/inner_operators.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Bytes in addition to those before the first operator, by recorded operator.
struct MemoryCurve {
  std::vector<std::int64_t> most;           ///< maximum while it runs
  std::vector<std::int64_t> held;           ///< after it
  [[nodiscard]] std::int64_t peak() const;  ///< 0 if empty
};

struct MemoryCurves {
  MemoryCurve recorded, replayed;
  bool profiled = false;  ///< recorded from the allocator; false: derived from lifetimes

  /// Replayed peak / recorded peak - 1. Empty if nothing was recorded.
  [[nodiscard]] std::optional<double> peak_change() const;
  /// The mean absolute difference of the curves, relative to the recorded peak. Empty if nothing
  /// was recorded.
  [[nodiscard]] std::optional<double> mean_distance() const;
};

/// Memory from the lifetimes of recorded tensors, including those inside replayed operators: a
/// storage lives from the first operator that creates it to the last that uses it. Execution traces
/// do not show memory that is held longer, or that an operator allocates internally.
[[nodiscard]] MemoryCurve recorded_memory(const profile::Profile& profile,
                                          const InnerOperators& inside, const ReplayPlan& plan);

/// Memory as a profiler recorded allocations: on the device if there are any, else on the host.
/// Empty if allocations were not recorded, or operators have no times.
[[nodiscard]] MemoryCurve profiled_memory(const profile::Profile& profile, const ReplayPlan& plan);

/// Memory as the replay allocated it.
[[nodiscard]] MemoryCurve replayed_memory(const ReplayPlan& plan, const ReplayOutcome& outcome);

}  // namespace orrery::bench
