// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// Bytes that a plan's operators read and write, and operations of its matrix products and
/// convolutions.
struct PlanWork {
  double bytes = 0;
  double flops = 0;
};
[[nodiscard]] PlanWork work_of(const ReplayPlan& plan);

/// Work of a changed plan / work of the original; 1: the original has no such work.
struct WorkRatio {
  double bytes = 1, flops = 1;
};
[[nodiscard]] WorkRatio work_ratio(const PlanWork& changed, const PlanWork& original);

}  // namespace orrery::bench
