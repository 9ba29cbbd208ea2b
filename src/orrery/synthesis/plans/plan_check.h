// SPDX-License-Identifier: Apache-2.0
//
// Verifies a plan: tracks which ranks' inputs each chunk contains, step by step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/synthesis/plans/plan.h"
#include "orrery/synthesis/plans/plan_order.h"

namespace orrery::synthesis {

struct PlanCheck {
  std::vector<PlanError> errors;  ///< the first kMaxErrors errors, root causes first
  std::uint64_t error_count = 0;  ///< number of all errors
  /// The result of every rank was compared with the expected one. False if the collective is
  /// unknown or the plan cannot run.
  bool result_checked = false;
  std::string unchecked_reason;  ///< why the result was not checked; empty: it was

  static constexpr std::size_t kMaxErrors = 20;
  [[nodiscard]] bool is_valid() const { return error_count == 0; }
};

/// Interprets the plan in an order that its waits allow and tracks which inputs each chunk sums up.
/// Checks that spans are in their buffers, messages match, waits have no cycle, steps at one place
/// are ordered, nothing is added twice, and the result is that of the collective (in place, out of
/// place, or both, as the plan states). About linear in steps × their chunks; sums of contributions
/// cost a factor of ranks/64 more, races up to (unordered pairs)/64 more.
[[nodiscard]] PlanCheck check_plan(const Plan& plan);

}  // namespace orrery::synthesis
