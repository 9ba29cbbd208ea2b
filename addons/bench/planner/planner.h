// SPDX-License-Identifier: Apache-2.0
//
// Converts a recorded rank to a replay plan.
#pragma once

#include <cstdint>
#include <vector>

#include "addons/bench/operators/framework_operators.h"
#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/recording/operator_selection.h"
#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// How communications are replayed. `no`: omitted. `delays`: they begin, last as long as specified,
/// and the host waits for them. `really`: tensors are sent, which changes their contents.
enum class CommunicationMode : std::uint8_t { no, delays, really };

struct PlanOptions {
  SelectOptions select;
  /// Maximum memory of tensors at a time, including copies, from recorded sizes.
  std::int64_t memory_limit = std::int64_t{1} << 62;
  /// For lookups in tables: the share reuse[j] of the rows that occur is used more than 2^(j-1) and
  /// at most 2^j times; empty: uniform.
  std::vector<double> reuse;
  bool kernels = false;  ///< fill PlanSource::kernel
  CommunicationMode communicate = CommunicationMode::no;
};

/// Errc: as select; input_range (an invalid tensor), limit_exceeded (memory). O(nodes log nodes).
[[nodiscard]] Result<ReplayPlan> make_plan(const profile::Profile& profile,
                                           const FrameworkOperators& operators,
                                           const PlanOptions& options);

}  // namespace orrery::bench
