// SPDX-License-Identifier: Apache-2.0
//
// Points as they become known, and how they compare.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "orrery/explore/executors/point_store.h"
#include "orrery/explore/front/evolve.h"
#include "orrery/explore/front/point.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

class PointSet {
 public:
  PointSet(const SearchSpace& space, PointStore& answers) : space_(space), store_(answers) {}

  /// Finds out what is not known of these. Errc: as PointStore::find_results, and expressions.
  [[nodiscard]] Result<void> evaluate(const std::vector<std::uint64_t>& numbers,
                                      Evaluation evaluation, const char* what);

  [[nodiscard]] const std::map<std::uint64_t, Point>& all() const { return points_; }
  [[nodiscard]] PointFitness fitness(std::uint64_t number) const;
  /// Allowed ones in order: the front first, then by the first objective. Marks the front.
  [[nodiscard]] std::vector<std::uint64_t> best();
  /// The best in this objective alone; none: nothing is allowed.
  [[nodiscard]] std::optional<std::uint64_t> best_in(std::size_t objective) const;
  [[nodiscard]] std::vector<Point> release() &&;

 private:
  const SearchSpace& space_;
  PointStore& store_;
  std::map<std::uint64_t, Point> points_;
};

/// Points that differ from this one along a single axis, its own among them: of long axes the
/// nearest and some all along, of continuous ones the coarse values. By axis.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> axis_neighbours(const SearchSpace& space,
                                                                      std::uint64_t number);

/// Points that differ from this one by `by` values along a continuous axis, or along two, up and
/// down, so that a sum may stay what it is.
[[nodiscard]] std::vector<std::uint64_t> refined_neighbours(const SearchSpace& space,
                                                            std::uint64_t number, std::uint32_t by);

/// What each axis does, around `best`, by what is known.
[[nodiscard]] std::vector<AxisEffect> axis_effects(const SearchSpace& space,
                                                   const std::map<std::uint64_t, Point>& points,
                                                   std::uint64_t best);

}  // namespace orrery::explore
