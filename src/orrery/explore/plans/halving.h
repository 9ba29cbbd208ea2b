// SPDX-License-Identifier: Apache-2.0
//
// Which of many candidates are worth a dearer look.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace orrery::explore {

/// Successive halving over two gears: all candidates are told cheaply, the best of them and a
/// sample of the rest dearly. How far the cheap evaluation was too high, where both know, is how
/// far it may be for those that were left out: whoever could still be among the best by that is
/// looked at, too, until nobody could. Less is better. Source: Jamieson & Talwalkar, AISTATS 2016
/// (budgets that grow as candidates go); the margin is ours.
class Halving {
 public:
  /// `predicted`: by the cheap evaluation, above 0; none: only the dear one tells. `keep`: how many
  /// of the best are wanted.
  Halving(std::vector<std::optional<double>> estimates, std::size_t keep);

  /// Whom to look at next, ascending; nobody: the best are known.
  [[nodiscard]] std::vector<std::size_t> next();
  /// What the dear evaluation says of one; none: it knows nothing.
  void found(std::size_t candidate, std::optional<double> value);

  /// By how much the cheap evaluation was too high at most, as a share of the dear one.
  [[nodiscard]] double max_overestimate() const { return max_over_; }
  /// How far off it was at most, either way.
  [[nodiscard]] double max_error() const { return max_error_; }

 private:
  [[nodiscard]] std::vector<std::size_t> first() const;

  std::vector<std::optional<double>> estimates_;
  std::size_t keep_;
  std::vector<bool> evaluated_;
  std::vector<double> values_;  // found
  double max_over_ = 0, max_error_ = 0;
  bool begun_ = false;
};

}  // namespace orrery::explore
