// SPDX-License-Identifier: Apache-2.0
//
// What is known of a point, held against what the space wants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/points/result_columns.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

struct EvaluatedPoint {
  Figures figures;       ///< where it fits
  bool allowed = false;  ///< it fits, and all constraints hold
  std::string violated;  ///< the first constraint that does not hold
};

/// Errc: those of expressions, with the place.
[[nodiscard]] Result<EvaluatedPoint> evaluate_point(const SearchSpace& space, std::uint64_t number,
                                                    const PointPrediction& predicted);

/// How the objectives are at a point; less is better, and what is unknown is worst.
[[nodiscard]] std::vector<double> scores_of(const SearchSpace& space, const Figures& figures);

/// The best of each objective among points that are allowed, as they come.
class RunningBest {
 public:
  explicit RunningBest(const SearchSpace& space) : space_(space) {}
  void add(std::uint64_t number, const PointPrediction& predicted);
  /// "step 1.606 s, cost 0.01784"; empty: none is allowed yet.
  [[nodiscard]] std::string words() const;

 private:
  const SearchSpace& space_;
  std::vector<double> scores_, values_;  ///< by objective; empty: none yet
};

}  // namespace orrery::explore
