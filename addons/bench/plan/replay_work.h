// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// What a plan's operators read and write, and what its matrix products and convolutions calculate.
struct PlanWork {
  double bytes = 0;
  double flops = 0;
};
[[nodiscard]] PlanWork work_of(const ReplayPlan& plan);

}  // namespace orrery::bench
