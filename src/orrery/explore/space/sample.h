// SPDX-License-Identifier: Apache-2.0
//
// Samples the points of a space to evaluate.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

/// Random numbers from a seed; equal on all machines.
class RandomSequence {
 public:
  explicit RandomSequence(std::uint64_t seed) : seed_(seed) {}
  [[nodiscard]] std::uint64_t bits();
  /// A number from 0 to `below` - 1, uniformly distributed.
  [[nodiscard]] std::uint64_t below(std::uint64_t below);

 private:
  std::uint64_t seed_, drawn_ = 0;
};

/// Whether constraints over axes only ("early" constraints) hold at a point. Errc: those of
/// expressions.
[[nodiscard]] Result<bool> admits(const SearchSpace& space, const Coordinates& at);

/// Sampled points by number, ascending, each once. All satisfy the early constraints.
struct PointSample {
  std::vector<std::uint64_t> points;
  std::uint64_t refused = 0;              ///< sampled points rejected by early constraints
  std::vector<std::uint64_t> refused_by;  ///< by the first constraint that does not hold
};

/// The points of one part: every `parts`-th point, starting at number `part` (from 1). 0: all
/// points.
[[nodiscard]] std::vector<std::uint64_t> points_of_part(std::vector<std::uint64_t> points,
                                                        std::uint32_t part, std::uint32_t parts);
/// The error for splitting `evolve` into parts.
[[nodiscard]] Error parts_error();

/// Samples points. `all`: all points, with coarse values of continuous axes. Otherwise `points`
/// points: random ones, or a Latin hypercube, which uses the values of each axis equally often.
/// Random points replace those that constraints or duplicates remove. Fewer points if no more
/// exist. Errc: those of expressions; limit_exceeded (`all` of too many).
[[nodiscard]] Result<PointSample> sample_points(const SearchSpace& space, SampleMethod how,
                                                std::uint64_t points);

}  // namespace orrery::explore
