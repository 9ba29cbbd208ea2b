// SPDX-License-Identifier: Apache-2.0
//
// The results of a point, checked against constraints and objectives of the space.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/points/result_columns.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

struct EvaluatedPoint {
  Figures figures;       ///< if it fits
  bool allowed = false;  ///< it fits, and all constraints hold
  std::string violated;  ///< first violated constraint
};

/// Evaluates figures and constraints of a point. Errc: those of expressions, with their place.
[[nodiscard]] Result<EvaluatedPoint> evaluate_point(const SearchSpace& space, std::uint64_t number,
                                                    const PointPrediction& predicted);

/// The score of each objective. Lower is better; unknown figures are worst.
[[nodiscard]] std::vector<double> scores_of(const SearchSpace& space, const Figures& figures);

/// The best allowed point of each objective so far.
class RunningBest {
 public:
  explicit RunningBest(const SearchSpace& space) : space_(space) {}
  void add(std::uint64_t number, const PointPrediction& predicted);
  /// "step 1.606 s, cost 0.01784"; empty: no allowed point yet.
  [[nodiscard]] std::string words() const;

 private:
  const SearchSpace& space_;
  std::vector<double> scores_, values_;  ///< by objective; empty: no allowed point yet
};

}  // namespace orrery::explore
