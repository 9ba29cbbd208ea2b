// SPDX-License-Identifier: Apache-2.0
//
// Is a plan right? It is followed chunk by chunk, each with whose shares are in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/synthesis/plans/plan.h"
#include "orrery/synthesis/plans/plan_order.h"

namespace orrery::synthesis {

struct PlanCheck {
  std::vector<PlanError> errors;  ///< the first kMaxErrors, the root ones first
  std::uint64_t error_count = 0;  ///< of all
  /// What every rank should end up with is known, and was compared; false where the collective is
  /// not one that is known here, or something before that is wrong.
  bool result_checked = false;
  std::string unchecked_reason;  ///< why not; empty: it was

  static constexpr std::size_t kMaxErrors = 20;
  [[nodiscard]] bool is_valid() const { return error_count == 0; }
};

/// Follows the plan in an order that its waits allow; every chunk is known by the inputs that were
/// added up in it. Checks that spans are in their buffers, messages match, nobody waits in a
/// circle, steps at one place are ordered, nothing is added twice, and the result is that of the
/// collective (in place, out of place, or both, as the plan says). About linear in steps × their
/// chunks; sums of contributions cost ranks/64 more, races up to (unordered pairs)/64 more.
[[nodiscard]] PlanCheck check_plan(const Plan& plan);

}  // namespace orrery::synthesis
