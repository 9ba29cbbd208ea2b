// SPDX-License-Identifier: Apache-2.0
//
// Break-even conditions: what another point needs to match the best.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/front/point.h"
#include "orrery/explore/front/point_set.h"

namespace orrery::explore {

/// Finds competitors of the best point: for each non-continuous axis, the best point in the first
/// objective whose value on that axis differs from the best point's. At most eight, each once (with
/// the first such axis), best first. Their break-even conditions are not yet computed. O(points ×
/// axes).
[[nodiscard]] std::vector<Competitor> competitors_of(const SearchSpace& space,
                                                     const PointSet& points);

/// Evaluates points by number.
using EvaluatePoints = std::function<Result<void>(std::vector<std::uint64_t>)>;

/// Computes break-even conditions of each competitor, each with all else equal:
/// - its step: which part (computing, exposed communication, waiting) must become shorter, and by
/// how much; if it was simulated and the objective depends on the step time only;
/// - costs: the break-even price of a device or a kWh;
/// - circumstances (axes used by the cluster or the prices, but not by the job): the nearest value
/// with which the competitor beats the best point with the same value. Evaluates missing points.
/// Errc: those of expressions and of `evaluate`.
[[nodiscard]] Result<void> find_break_even(const SearchSpace& space, const PointSet& points,
                                           const EvaluatePoints& evaluate,
                                           std::vector<Competitor>& competitors);

}  // namespace orrery::explore
