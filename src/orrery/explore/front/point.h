// SPDX-License-Identifier: Apache-2.0
//
// An evaluated point of a space, and its comparison with others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/explore/points/evaluation.h"
#include "orrery/explore/points/result_columns.h"

namespace orrery::explore {

/// An evaluated point.
struct Point {
  std::uint64_t number = 0;
  std::optional<PointPrediction> columns, estimate, simulation;
  Figures figures;       ///< from the best available evaluation; if it fits
  bool allowed = false;  ///< it fits, and all constraints hold
  bool front = false;    ///< on the Pareto front of allowed points
  std::string violated;  ///< first violated constraint

  [[nodiscard]] const PointPrediction& predicted() const {
    return simulation ? *simulation : estimate ? *estimate : *columns;
  }
  [[nodiscard]] const std::optional<PointPrediction>& by(Evaluation evaluation) const {
    return evaluation == Evaluation::simulate  ? simulation
           : evaluation == Evaluation::columns ? columns
                                               : estimate;
  }
  /// Relative error of the estimated step against the simulated one, if both exist.
  [[nodiscard]] std::optional<double> estimate_error() const {
    if (!estimate || !simulation || estimate->step == 0 || simulation->step == 0)
      return std::nullopt;
    return static_cast<double>(estimate->step) / static_cast<double>(simulation->step) - 1;
  }
};

/// Effect of another value of an axis on the best point, all else equal.
struct Alternative {
  std::string label;
  State state = State::needs_simulation;
  std::optional<MemoryFit> fit{};  ///< PointPrediction::fit()
  bool is_best = false;            ///< it is the value of the best point
  bool allowed = false;            ///< it fits, and all constraints hold
  double change = 0;  ///< change of the first objective, relative to the best point; above 0: worse
};

struct AxisEffect {
  std::string name;
  /// Share of the variance of the first objective, over all allowed points, that lies between the
  /// means by value. If all combinations are evaluated, it is the first-order Sobol index.
  double explains = 0;
  std::vector<Alternative> values;  ///< evaluated values
};

/// A break-even condition of a point.
enum class BreakEvenKind : std::uint8_t { part, device_price, energy_price, axis };

struct BreakEven {
  BreakEvenKind what = BreakEvenKind::part;
  std::string axis{};                ///< name of the axis
  double current = 0, required = 0;  ///< shares of the step (parts), or prices
  std::string value{};               ///< value on the axis
  bool for_both = false;             ///< it applies to the best point too
  std::size_t part = 0;              ///< index into kStepParts
};

/// The best point among those whose value on some axis differs from that of the best point.
struct Competitor {
  std::uint64_t number = 0;
  std::string axis, value;
  double relative_gap = 0;  ///< relative difference to the best point in the first objective
  std::vector<BreakEven> break_even;  ///< separate conditions
};

}  // namespace orrery::explore
