// SPDX-License-Identifier: Apache-2.0
//
// What tensors hold that exist before the first step. Operators that take indices say how large
// these may be; that is followed back through whatever hands whole numbers on.
#pragma once

#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// Sets Storage::fill of every storage. Reals lie between 0 and 2/n, where a row has n elements, at
/// most 1: sums over rows stay as large as what is summed. Whole numbers are 1, indices even among
/// the rows that there are (by frequency where Plan::reuse says how), offsets evenly apart.
void choose_fills(ReplayPlan& plan);

}  // namespace orrery::bench
