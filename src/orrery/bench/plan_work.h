// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/bench/plan.h"

namespace orrery::bench {

/// What a plan's operators read and write, and what its matrix products and convolutions calculate.
struct PlanWork {
  double bytes = 0;
  double flops = 0;
};
[[nodiscard]] PlanWork work_of(const Plan& plan);

}  // namespace orrery::bench
