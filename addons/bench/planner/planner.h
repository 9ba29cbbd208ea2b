// SPDX-License-Identifier: Apache-2.0
//
// From a recorded rank to the plan of its replay.
#pragma once

#include <cstdint>
#include <vector>

#include "addons/bench/operators/framework_operators.h"
#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/recording/operator_selection.h"
#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// What becomes of communications: they are left out; they begin and are waited for, and take as
/// long as they are told to; or tensors are really sent, which changes what they hold.
enum class CommunicationMode : std::uint8_t { no, delays, really };

struct PlanOptions {
  SelectOptions select;
  /// Most that tensors may take at a time, copies included, by their recorded sizes.
  std::int64_t memory_limit = std::int64_t{1} << 62;
  /// Rows of tables are looked up so that of the rows that occur the share reuse[j] occurs more
  /// than 2^(j-1) and at most 2^j times; empty: evenly drawn.
  std::vector<double> reuse;
  bool kernels = false;  ///< fill Source::kernel
  CommunicationMode communicate = CommunicationMode::no;
};

/// Errc: as select; input_range (a tensor that cannot be), limit_exceeded (memory). O(nodes log
/// nodes).
[[nodiscard]] Result<ReplayPlan> make_plan(const profile::Profile& profile,
                                           const FrameworkOperators& operators,
                                           const PlanOptions& options);

}  // namespace orrery::bench
