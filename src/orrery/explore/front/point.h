// SPDX-License-Identifier: Apache-2.0
//
// A point of a space that was looked at, and how it compares with others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/explore/points/evaluation.h"
#include "orrery/explore/points/result_columns.h"

namespace orrery::explore {

/// A point that was looked at.
struct Point {
  std::uint64_t number = 0;
  std::optional<PointPrediction> columns, estimate, simulation;
  Figures figures;       ///< of what is known best; where it fits
  bool allowed = false;  ///< it fits, and all constraints hold
  bool front = false;    ///< no other that is allowed beats it in all objectives
  std::string violated;  ///< the first constraint that does not hold

  [[nodiscard]] const PointPrediction& predicted() const {
    return simulation ? *simulation : estimate ? *estimate : *columns;
  }
  [[nodiscard]] const std::optional<PointPrediction>& by(Evaluation evaluation) const {
    return evaluation == Evaluation::simulate  ? simulation
           : evaluation == Evaluation::columns ? columns
                                               : estimate;
  }
  /// Where it has both steps: how far the estimate's is off the simulation's, as a share.
  [[nodiscard]] std::optional<double> estimate_error() const {
    if (!estimate || !simulation || estimate->step == 0 || simulation->step == 0)
      return std::nullopt;
    return static_cast<double>(estimate->step) / static_cast<double>(simulation->step) - 1;
  }
};

/// What another value of an axis would do to the best point, all else alike.
struct Alternative {
  std::string label;
  State state = State::needs_simulation;
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
enum class BreakEvenKind : std::uint8_t { part, device_price, energy_price, axis };

struct BreakEven {
  BreakEvenKind what = BreakEvenKind::part;
  std::string axis{};        ///< its name
  double is = 0, needs = 0;  ///< parts: as shares of its step; prices
  std::string value{};       ///< of the axis
  bool for_both = false;     ///< the best has to bear it, too
  std::size_t part = 0;      ///< of kStepParts
};

/// A point that is the best of all that have another value of some axis than the best of all.
struct Competitor {
  std::uint64_t number = 0;
  std::string axis, value;
  double behind = 0;              ///< the best in the first objective, as a share
  std::vector<BreakEven> needed;  ///< each by itself
};

}  // namespace orrery::explore
