// SPDX-License-Identifier: Apache-2.0
//
// Which points of a space are looked at, drawn ahead.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

/// Random numbers of a seed, one after another; the same on any machine.
class RandomSequence {
 public:
  explicit RandomSequence(std::uint64_t seed) : seed_(seed) {}
  [[nodiscard]] std::uint64_t bits();
  /// 0 … `below` - 1, each as likely.
  [[nodiscard]] std::uint64_t below(std::uint64_t below);

 private:
  std::uint64_t seed_, drawn_ = 0;
};

/// Whether early constraints hold there. Errc: those of expressions.
[[nodiscard]] Result<bool> admits(const SearchSpace& space, const Coordinates& at);

/// Numbers of points that early constraints admit, ascending, each once.
struct PointSample {
  std::vector<std::uint64_t> points;
  std::uint64_t refused = 0;              ///< by early constraints, of those that were drawn
  std::vector<std::uint64_t> refused_by;  ///< by constraint: the first that does not hold
};

/// The share of points in order that one of several parts has: every so manieth. `part` from 1; 0:
/// all.
[[nodiscard]] std::vector<std::uint64_t> points_of_part(std::vector<std::uint64_t> points,
                                                        std::uint32_t part, std::uint32_t parts);
/// What is wrong with parts of `evolve`.
[[nodiscard]] Error parts_error();

/// All (of continuous axes the coarse values), or `points`: random ones, or a Latin hypercube (each
/// axis's values equally often; where constraints or chance take some away, random ones are added).
/// Less where there are no more. Errc: those of expressions; limit_exceeded (`all` of too many).
[[nodiscard]] Result<PointSample> sample_points(const SearchSpace& space, SampleMethod how,
                                                std::uint64_t points);

}  // namespace orrery::explore
