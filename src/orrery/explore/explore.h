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
#include "orrery/explore/answers.h"
#include "orrery/explore/checked.h"
#include "orrery/explore/figures.h"
#include "orrery/explore/judged.h"
#include "orrery/explore/sample.h"
#include "orrery/explore/space_file.h"
#include "orrery/search/plans/plan_search.h"

namespace orrery::explore {

struct ExploreOptions {
  search::Gear gear = search::Gear::automatic;
  std::size_t simulated = 20;  ///< points to simulate, where estimates come first
  AnswerOptions answers{};
  /// Told what constraints leave, before anything is found out.
  std::function<void(const CheckedSpace&)> checked{};
};

/// A point that was looked at.
struct Point {
  std::uint64_t number = 0;
  std::optional<Told> columns, estimate, simulation;
  Figures figures;       ///< of what is known best; where it fits
  bool allowed = false;  ///< it fits, and all constraints hold
  bool front = false;    ///< no other that is allowed beats it in all objectives
  std::string against;   ///< the first constraint that does not hold

  [[nodiscard]] const Told& told() const {
    return simulation ? *simulation : estimate ? *estimate : *columns;
  }
  [[nodiscard]] const std::optional<Told>& by(search::Gear gear) const {
    return gear == search::Gear::simulate  ? simulation
           : gear == search::Gear::columns ? columns
                                           : estimate;
  }
  /// Where it has both steps: how far the estimate's is off the simulation's, as a share.
  [[nodiscard]] std::optional<double> estimate_off() const {
    if (!estimate || !simulation || estimate->step == 0 || simulation->step == 0)
      return std::nullopt;
    return static_cast<double>(estimate->step) / static_cast<double>(simulation->step) - 1;
  }
};

/// What another value of an axis would do to the best point, all else alike.
struct Alternative {
  std::string label;
  State state = State::not_told;
  bool own = false;      ///< it is the best point's
  bool allowed = false;  ///< and these are the first objective's:
  double change = 0;     ///< as a share of the best point's; above 0: worse
};

struct AxisEffect {
  std::string name;
  /// Share of the first objective's variance, over all points that are allowed, that lies between
  /// means by value. Where all combinations are there it is the first-order Sobol index.
  double explains = 0;
  std::vector<Alternative> values;  ///< that were looked at
};

/// Of what one point would need to be as good as the best.
enum class Need : std::uint8_t { part, device_price, energy_price, axis };

struct Needed {
  Need what = Need::part;
  std::string axis{};        ///< its name
  double is = 0, needs = 0;  ///< parts: as shares of its step; prices
  std::string value{};       ///< of the axis
  bool for_both = false;     ///< the best has to bear it, too
  std::size_t part = 0;      ///< of search::kStepParts
};

/// A point that is the best of all that have another value of some axis than the best of all.
struct Rival {
  std::uint64_t number = 0;
  std::string axis, value;
  double behind = 0;           ///< the best in the first objective, as a share
  std::vector<Needed> needed;  ///< each by itself
};

struct Explored {
  CheckedSpace checked;       ///< ahead
  std::vector<Point> points;  ///< by number
  /// Of `points`: allowed ones, the front first, then by the first objective.
  std::vector<std::size_t> best;
  std::uint64_t refused = 0;                     ///< by constraints, before anything was asked
  std::map<std::string, std::uint64_t> against;  ///< by constraint, early ones too
  std::map<std::string, std::uint64_t> illegal;  ///< by rule
  std::uint64_t fitting = 0, too_large = 0, not_told = 0, failed = 0;
  std::optional<std::size_t> smallest;  ///< of those that are too large, the one that needs least
  std::optional<Error> failure;         ///< of the first that failed
  std::size_t found_out = 0;            ///< all else was known before
  std::size_t out_of_date = 0;  ///< points stored by a search whose inputs or models changed
  std::size_t simulations = 0;  ///< points that have one
  double worst_off = 0;         ///< of estimates against simulations, as a share
  std::size_t in_columns = 0, played = 0;  ///< points told in columns; of these estimated, too
  double columns_off = 0;                  ///< of columns against estimates, as a share
  std::vector<AxisEffect> effects;         ///< of axes with several values; the strongest first
  std::vector<Rival> rivals;               ///< the best first
};

/// Of a search by `gear`, what all points are told by. Where there are 4,096 or more, `automatic`
/// begins with columns.
[[nodiscard]] search::Gear first_gear(const SearchSpace& space, search::Gear gear);

/// Looks at the points that the space's sample says; but for `all` then at those beside the best,
/// one axis at a time, until none is better; plays those of many that may be among the best
/// (search/plans/halving); and simulates the front, the best, and some of the rest. One of several
/// parts only looks at its share of the points. Errc: usage (parts of `evolve`); those of
/// expressions and of keeping; the first failure where everything fails.
[[nodiscard]] Result<Explored> explore(const SearchSpace& space, const ExploreOptions& options);

}  // namespace orrery::explore
