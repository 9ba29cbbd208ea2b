// SPDX-License-Identifier: Apache-2.0
//
// Compares the results of two runs of one simulation, for example with and without folding.
#pragma once

#include <optional>
#include <string>

#include "orrery/sim/sim_result.h"

namespace orrery::sim {

/// The first exact difference between `a` and `b`, results of one workload on one platform: in the
/// end of the step, in the figures of a rank (the lowest), or in the totals of a kind of
/// collective. Empty if they are equal. Ignores how the result was computed: events, messages,
/// savings, and the choice among critical paths of equal length.
///
/// "rank 5: compute is 3200000 ps and 3300001 ps". O(ranks).
[[nodiscard]] std::optional<std::string> first_difference(const SimResult& a, const SimResult& b);

}  // namespace orrery::sim
