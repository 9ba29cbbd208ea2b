// SPDX-License-Identifier: Apache-2.0
//
// Successive halving: selects the candidates that need the expensive evaluation.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace orrery::explore {

/// Successive halving with two evaluation methods. All candidates are evaluated by the cheap
/// method; the best of them and a sample of the rest by the expensive method. The largest
/// overestimate of the cheap method is the margin for the remaining candidates: those that may
/// still be among the best are evaluated too, until none is left. Lower is better. Source: Jamieson
/// & Talwalkar, AISTATS 2016 (budgets that grow as candidates go); the margin is ours.
class Halving {
 public:
  /// `estimates`: results of the cheap method, above 0; empty: only the expensive one applies.
  /// `keep`: number of best candidates wanted.
  Halving(std::vector<std::optional<double>> estimates, std::size_t keep);

  /// Candidates to evaluate next, ascending; empty: the best are known.
  [[nodiscard]] std::vector<std::size_t> next();
  /// Adds the expensive result of a candidate; empty: it has none.
  void found(std::size_t candidate, std::optional<double> value);

  /// Largest overestimate of the cheap method, relative to the expensive one.
  [[nodiscard]] double max_overestimate() const { return max_over_; }
  /// Largest error of the cheap method in either direction.
  [[nodiscard]] double max_error() const { return max_error_; }

 private:
  [[nodiscard]] std::vector<std::size_t> first() const;

  std::vector<std::optional<double>> estimates_;
  std::size_t keep_;
  std::vector<bool> evaluated_;
  std::vector<double> values_;  // expensive results
  double max_over_ = 0, max_error_ = 0;
  bool begun_ = false;
};

}  // namespace orrery::explore
