// SPDX-License-Identifier: Apache-2.0
//
// Grows boosted trees with XGBoost. forest.h evaluates them without XGBoost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::model {

struct BoosterOptions {
  std::uint64_t seed = 1;
  int rounds = 220;          ///< trees
  int leaves = 128;          ///< per tree, maximum
  int depth = 12;            ///< maximum
  double rate = 0.1;         ///< learning rate: share of the residual that a tree corrects
  int bins = 90;             ///< per feature
  double rows = 1;           ///< share of the rows that each tree uses
  double min_leaf_rows = 2;  ///< minimum
};

/// A node of a grown tree. Values below the threshold go left. feature < 0: a leaf.
struct GrownNode {
  int feature = -1;
  float threshold = 0;
  std::uint32_t left = 0, right = 0;
  double value = 0;
};
using GrownTree = std::vector<GrownNode>;

/// Rows of `columns` floats, with their targets and weights.
struct TrainingRows {
  std::size_t columns = 0;
  std::vector<float> features;
  std::vector<float> targets;
  std::vector<float> weights;
};

/// Whether the program was built with XGBoost and finds its library at run time.
[[nodiscard]] bool has_xgboost();

/// Trees whose sum plus `bias` approximates the targets. Uses one thread; deterministic. Errc:
/// usage (no XGBoost), input_empty, input_unsupported (XGBoost fails).
[[nodiscard]] Result<std::vector<GrownTree>> boost_trees(const TrainingRows& rows, double bias,
                                                         const BoosterOptions& options);

}  // namespace orrery::model
