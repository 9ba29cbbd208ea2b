// SPDX-License-Identifier: Apache-2.0
//
// What would have to be true for another point to be as good as the best.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/front/point.h"
#include "orrery/explore/front/point_set.h"

namespace orrery::explore {

/// Of each axis that is not continuous, the best point in the first objective of those that have
/// another value than the best of all has: eight at most, the best first, each once, with the first
/// such axis. What they need is not told yet. O(points x axes).
[[nodiscard]] std::vector<Competitor> competitors_of(const SearchSpace& space,
                                                     const PointSet& points);

/// Looks at points by their numbers.
using EvaluatePoints = std::function<Result<void>(std::vector<std::uint64_t>)>;

/// Tells what each needs by itself, all else alike:
/// - of its step: which part (computing, exposed communication, waiting) would have to be shorter,
///   and by how much, where it was simulated and the objective follows from the step;
/// - of costs: what a device or a kWh would have to cost;
/// - of circumstances (axes that the cluster or the prices name, and the job does not): the
///   nearest value with which it is better than the best is with the same. Looks at what is not
///   known yet of these.
/// Errc: those of expressions and of `evaluate`.
[[nodiscard]] Result<void> find_break_even(const SearchSpace& space, const PointSet& points,
                                           const EvaluatePoints& evaluate,
                                           std::vector<Competitor>& competitors);

}  // namespace orrery::explore
