// SPDX-License-Identifier: Apache-2.0
//
// The set of evaluated points, and their comparison.
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

  /// Evaluates points that are not yet evaluated by this method. Errc: as PointStore::find_results,
  /// and expressions.
  [[nodiscard]] Result<void> evaluate(const std::vector<std::uint64_t>& numbers,
                                      Evaluation evaluation, const char* what);

  [[nodiscard]] const std::map<std::uint64_t, Point>& all() const { return points_; }
  [[nodiscard]] PointFitness fitness(std::uint64_t number) const;
  /// Allowed points: the front first, then by the first objective. Marks the front.
  [[nodiscard]] std::vector<std::uint64_t> best();
  /// The best point in one objective; empty: no point is allowed.
  [[nodiscard]] std::optional<std::uint64_t> best_in(std::size_t objective) const;
  [[nodiscard]] std::vector<Point> release() &&;

 private:
  const SearchSpace& space_;
  PointStore& store_;
  std::map<std::uint64_t, Point> points_;
};

/// Points that differ from `number` in at most one axis, including itself, by axis. On long axes:
/// the nearest values and some over the entire axis; on continuous axes: the coarse values.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> axis_neighbors(const SearchSpace& space,
                                                                     std::uint64_t number);

/// Points that differ by `by` values along one continuous axis, or along two in opposite
/// directions, so that a sum can stay constant.
[[nodiscard]] std::vector<std::uint64_t> refined_neighbors(const SearchSpace& space,
                                                           std::uint64_t number, std::uint32_t by);

/// Effects of axes around `best`, from known points.
[[nodiscard]] std::vector<AxisEffect> axis_effects(const SearchSpace& space,
                                                   const std::map<std::uint64_t, Point>& points,
                                                   std::uint64_t best);

}  // namespace orrery::explore
