// SPDX-License-Identifier: Apache-2.0
//
// Generations of points that approach the front: NSGA-II (Deb, Pratap, Agarwal, Meyarivan,
// IEEE TEC 2002) on axes of single values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/front/front.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

/// Fitness of a point. A smaller violation is better, regardless of the scores (the same, §VI.A).
/// 0: it is allowed, and has scores.
struct PointFitness {
  double violation = 0;
  Scores scores{};
};

/// Evaluates points by number.
using FitnessFunction =
    std::function<Result<std::vector<PointFitness>>(const std::vector<std::uint64_t>&)>;

/// Evaluates at most `points` points with `fitness_of`, each once, one generation at a time. Ends
/// early after 30 generations without a new point. Parents win tournaments of two. Children inherit
/// each value from one of two parents; one value per child mutates on average: numbers to a
/// neighbor, others to any value. Equal seeds give equal results. Errc: those of expressions and
/// of `fitness_of`.
[[nodiscard]] Result<void> evolve(const SearchSpace& space, std::uint64_t points,
                                  const FitnessFunction& fitness_of);

}  // namespace orrery::explore
