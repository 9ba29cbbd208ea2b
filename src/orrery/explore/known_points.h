// SPDX-License-Identifier: Apache-2.0
//
// Points as they become known, and how they compare.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "orrery/explore/evolve.h"
#include "orrery/explore/explore.h"

namespace orrery::explore {

class KnownPoints {
 public:
  KnownPoints(const SearchSpace& space, Answers& answers) : space_(space), answers_(answers) {}

  /// Finds out what is not known of these. Errc: as Answers::tell, and expressions.
  [[nodiscard]] Result<void> look_at(const std::vector<std::uint64_t>& numbers, search::Gear gear,
                                     const char* what);

  [[nodiscard]] const std::map<std::uint64_t, Point>& all() const { return points_; }
  [[nodiscard]] Fitness fitness(std::uint64_t number) const;
  /// Allowed ones in order: the front first, then by the first objective. Marks the front.
  [[nodiscard]] std::vector<std::uint64_t> best();
  /// The best in this objective alone; none: nothing is allowed.
  [[nodiscard]] std::optional<std::uint64_t> best_in(std::size_t objective) const;
  [[nodiscard]] std::vector<Point> release() &&;

 private:
  const SearchSpace& space_;
  Answers& answers_;
  std::map<std::uint64_t, Point> points_;
};

/// Points that differ from this one along a single axis, its own among them: of long axes the
/// nearest and some all along, of continuous ones the coarse values. By axis.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> beside(const SearchSpace& space,
                                                             std::uint64_t number);

/// Points that differ from this one by `by` values along a continuous axis, or along two, up and
/// down, so that a sum may stay what it is.
[[nodiscard]] std::vector<std::uint64_t> closer(const SearchSpace& space, std::uint64_t number,
                                                std::uint32_t by);

/// What each axis does, around `best`, by what is known.
[[nodiscard]] std::vector<AxisEffect> effects_of(const SearchSpace& space,
                                                 const std::map<std::uint64_t, Point>& points,
                                                 std::uint64_t best);

}  // namespace orrery::explore
