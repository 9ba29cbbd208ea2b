// SPDX-License-Identifier: Apache-2.0
//
// Whether two ways of working out one simulation came to the same.
#pragma once

#include <optional>
#include <string>

#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// Where `a` and `b`, both of one workload on one platform, first differ, to the picosecond and the
/// byte: in the end of the step, in the figures of a rank (the lowest), in the totals of a kind of
/// collective. Empty where they are equal. How the work was done does not count: events, messages,
/// savings, which of several equally long chains was found.
///
/// "rank 5: compute is 3200000 ps and 3300001 ps". O(ranks).
[[nodiscard]] std::optional<std::string> first_difference(const SimResult& a, const SimResult& b);

}  // namespace orrery::sim
