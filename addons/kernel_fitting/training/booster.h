// SPDX-License-Identifier: Apache-2.0
//
// Growing boosted trees, which is left to XGBoost; walking them is ours (forest.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::model {

struct BoosterOptions {
  std::uint64_t seed = 1;
  int rounds = 220;          ///< trees
  int leaves = 128;          ///< of one tree, at most
  int depth = 12;            ///< at most
  double rate = 0.1;         ///< share of what is left that a tree corrects
  int bins = 90;             ///< of one feature
  double rows = 1;           ///< share of the rows that a tree sees
  double min_leaf_rows = 2;  ///< at least
};

/// A node as it was grown: below the threshold goes left. feature < 0: a leaf.
struct GrownNode {
  int feature = -1;
  float threshold = 0;
  std::uint32_t left = 0, right = 0;
  double value = 0;
};
using GrownTree = std::vector<GrownNode>;

/// Rows of `columns` floats, their targets and weights.
struct TrainingRows {
  std::size_t columns = 0;
  std::vector<float> features;
  std::vector<float> targets;
  std::vector<float> weights;
};

/// True where this program was built with XGBoost and its library is found when it runs.
[[nodiscard]] bool has_xgboost();

/// Trees whose sum, on top of `bias`, is near the targets. One thread; the same rows and options
/// give the same trees. Errc: usage (no XGBoost), input_empty, input_unsupported (XGBoost fails).
[[nodiscard]] Result<std::vector<GrownTree>> boost_trees(const TrainingRows& rows, double bias,
                                                         const BoosterOptions& options);

}  // namespace orrery::model
