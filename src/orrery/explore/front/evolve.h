// SPDX-License-Identifier: Apache-2.0
//
// Generations of points that come nearer to the front: NSGA-II (Deb, Pratap, Agarwal, Meyarivan,
// IEEE TEC 2002) on axes of single values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/front/front.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

/// What is known of a point that is judged by: whoever violates less is better, whatever the
/// scores (the same, §VI.A); 0: it is allowed, and has scores.
struct PointFitness {
  double violation = 0;
  Scores scores{};
};

/// Of points by their numbers.
using FitnessFunction =
    std::function<Result<std::vector<PointFitness>>(const std::vector<std::uint64_t>&)>;

/// Asks `judge` about `points` points at most, each once, a generation at a time; ends earlier
/// where nothing new comes for long. Parents win tournaments of two; children take each value of
/// one of two parents, and one value in the mean is changed: of numbers to one nearby, else to any.
/// The same for the same seed. Errc: those of expressions and of `judge`.
[[nodiscard]] Result<void> evolve(const SearchSpace& space, std::uint64_t points,
                                  const FitnessFunction& judge);

}  // namespace orrery::explore
