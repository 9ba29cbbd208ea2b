// SPDX-License-Identifier: Apache-2.0
//
// The initial content of tensors that exist before the first step. Operators with index arguments
// limit the values; the planner propagates the limits backward through operators that pass integers
// on.
#pragma once

#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// Sets Storage::fill of all storages. Reals are between 0 and 2/n for rows of n elements, at most
/// 1, so that sums over rows do not grow. Integers are 1. Indices are uniform over the existing
/// rows (or follow Program::reuse, if given), and offsets are evenly spaced.
void choose_fills(ReplayPlan& plan);

}  // namespace orrery::bench
