// SPDX-License-Identifier: Apache-2.0
//
// Pareto front of points, and layers of dominated points.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery::explore {

/// Scores of a point by objective; lower is better.
using Scores = std::vector<double>;

/// Whether `a` is at least as good in all objectives, and better in one.
[[nodiscard]] bool dominates(const Scores& a, const Scores& b);

/// Whether each point is on the front; equal points have equal results. O(n log n) for one or two
/// objectives, else O(n × front).
[[nodiscard]] std::vector<bool> front_of(const std::vector<Scores>& points);

/// The layer of each point: 0 for the front, 1 for the front of the remaining points, and so on.
/// O(n^2 × objectives) (Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic
/// algorithm: NSGA-II", IEEE TEC 2002, §III.A).
[[nodiscard]] std::vector<std::uint32_t> layers_of(const std::vector<Scores>& points);

/// The crowding distance of each point: the distance between its neighbors within its layer,
/// summed over objectives as shares of the layer's range; infinite at the ends (the same, §III.B).
[[nodiscard]] std::vector<double> crowding_of(const std::vector<Scores>& points,
                                              const std::vector<std::uint32_t>& layers);

}  // namespace orrery::explore
