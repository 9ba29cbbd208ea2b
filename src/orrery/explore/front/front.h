// SPDX-License-Identifier: Apache-2.0
//
// Points that no other beats in all objectives (Pareto), and layers of them.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery::explore {

/// Of a point by objective; less is better.
using Scores = std::vector<double>;

/// As good in all, and better in one.
[[nodiscard]] bool dominates(const Scores& a, const Scores& b);

/// Whether each is one that no other dominates; equals stand together. O(n log n) of one or two
/// objectives, else O(n x front).
[[nodiscard]] std::vector<bool> front_of(const std::vector<Scores>& points);

/// The layer of each: 0 for the front, 1 for the front of the rest, and so on. O(n^2 x objectives)
/// (Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic algorithm:
/// NSGA-II", IEEE TEC 2002, §III.A).
[[nodiscard]] std::vector<std::uint32_t> layers_of(const std::vector<Scores>& points);

/// How far the neighbours of each are apart within its layer, summed over objectives as shares of
/// the layer's range; infinite at its ends (the same, §III.B).
[[nodiscard]] std::vector<double> crowding_of(const std::vector<Scores>& points,
                                              const std::vector<std::uint32_t>& layers);

}  // namespace orrery::explore
