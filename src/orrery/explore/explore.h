// SPDX-License-Identifier: Apache-2.0
//
// Searches a space: evaluates points, and finds the Pareto front and the effects of axes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/executors/point_store.h"
#include "orrery/explore/front/point.h"
#include "orrery/explore/points/evaluation.h"
#include "orrery/explore/space/constraint_check.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

struct ExploreOptions {
  Evaluation evaluation = Evaluation::automatic;
  std::size_t simulated = 20;  ///< number of points to simulate after estimating all
  PointStoreOptions answers{};
  /// Called with the result of the constraint check before any evaluation.
  std::function<void(const SpaceCheck&)> space_check{};
};

struct ExplorationResult {
  SpaceCheck space_check;     ///< before any evaluation
  std::vector<Point> points;  ///< by number
  /// Indices of allowed `points`: the front first, then by the first objective.
  std::vector<std::size_t> best;
  std::uint64_t refused = 0;  ///< points rejected by constraints before any evaluation
  std::map<std::string, std::uint64_t> violated;  ///< by constraint, including early ones
  std::map<std::string, std::uint64_t> illegal;   ///< by rule
  std::uint64_t fitting = 0, too_large = 0, needs_simulation = 0, failed = 0;
  std::uint64_t fitting_uncertain = 0,  ///< of `fitting` those that may not fit …
      too_large_uncertain = 0;          ///< … and of `too_large` those that may fit
  /// Index of the too large point that needs the least memory.
  std::optional<std::size_t> smallest;
  std::optional<Error> failure;   ///< error of the first failed point
  std::size_t evaluated = 0;      ///< points without a stored result
  std::size_t out_of_date = 0;    ///< stored points computed again because inputs or models changed
  std::size_t simulations = 0;    ///< points with a simulation
  double max_estimate_error = 0;  ///< largest relative error of estimates to simulations
  std::size_t in_columns = 0,
              detailed = 0;             ///< points estimated in columns; of these also in detail
  double columns_error = 0;             ///< largest relative error of columns to estimates
  std::vector<AxisEffect> effects;      ///< of axes with several values; strongest first
  std::vector<Competitor> competitors;  ///< by the first objective, best first
};

/// The method of the first evaluation of all points. `automatic` means columns from 4,096 points
/// on, else estimates.
[[nodiscard]] Evaluation first_evaluation(const SearchSpace& space, Evaluation evaluation);

/// Searches a space in phases. It evaluates the sampled points. Then it evaluates neighbors of the
/// best points, one axis at a time, until none is better. After columns, it estimates possible best
/// points in detail (plans/halving.h). For `automatic`, it simulates the front, the best points,
/// and some of the rest. A part of a search evaluates only its share of the points. Errc: usage
/// (parts of `evolve`; figures of simulations, without them); those of expressions and of storing;
/// the first failure if every point fails.
[[nodiscard]] Result<ExplorationResult> explore(const SearchSpace& space,
                                                const ExploreOptions& options);

}  // namespace orrery::explore
