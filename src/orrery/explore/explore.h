// SPDX-License-Identifier: Apache-2.0
//
// A space searched: its points looked at, those that no other beats, and which axes matter.
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
  std::size_t simulated = 20;  ///< points to simulate, where estimates come first
  PointStoreOptions answers{};
  /// Told what constraints leave, before anything is found out.
  std::function<void(const SpaceCheck&)> space_check{};
};

struct ExplorationResult {
  SpaceCheck space_check;     ///< ahead
  std::vector<Point> points;  ///< by number
  /// Of `points`: allowed ones, the front first, then by the first objective.
  std::vector<std::size_t> best;
  std::uint64_t refused = 0;                      ///< by constraints, before anything was asked
  std::map<std::string, std::uint64_t> violated;  ///< by constraint, early ones too
  std::map<std::string, std::uint64_t> illegal;   ///< by rule
  std::uint64_t fitting = 0, too_large = 0, needs_simulation = 0, failed = 0;
  std::optional<std::size_t> smallest;  ///< of those that are too large, the one that needs least
  std::optional<Error> failure;         ///< of the first that failed
  std::size_t evaluated = 0;            ///< all else was known before
  std::size_t out_of_date = 0;    ///< points stored by a search whose inputs or models changed
  std::size_t simulations = 0;    ///< points that have one
  double max_estimate_error = 0;  ///< of estimates against simulations, as a share
  std::size_t in_columns = 0, played = 0;  ///< points told in columns; of these estimated, too
  double columns_error = 0;                ///< of columns against estimates, as a share
  std::vector<AxisEffect> effects;         ///< of axes with several values; the strongest first
  std::vector<Competitor> competitors;     ///< the best first
};

/// Of a search by `gear`, what all points are told by. Where there are 4,096 or more, `automatic`
/// begins with columns.
[[nodiscard]] Evaluation first_evaluation(const SearchSpace& space, Evaluation evaluation);

/// Looks at the points that the space's sample says; but for `all` then at those beside the best,
/// one axis at a time, until none is better; plays those of many that may be among the best
/// (plans/halving.h); and simulates the front, the best, and some of the rest. One of several parts
/// only looks at its share of the points. Errc: usage (parts of `evolve`); those of
/// expressions and of keeping; the first failure where everything fails.
[[nodiscard]] Result<ExplorationResult> explore(const SearchSpace& space,
                                                const ExploreOptions& options);

}  // namespace orrery::explore
