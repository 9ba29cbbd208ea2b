// SPDX-License-Identifier: Apache-2.0
//
// A textbook solver of linear programs, to validate results that are computed without one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace orrery::model {

/// Minimizes the largest load over mixtures of orders by the simplex method, with a dense tableau
/// and Bland's rule, which guarantees termination. Source: Bland, "New finite pivoting rules for
/// the simplex method" (1977).
class MinMaxLoad {
 public:
  /// loads[order][dim]: load of the dimension if all bytes use that order.
  explicit MinMaxLoad(std::vector<std::vector<double>> loads) : loads_(std::move(loads)) {}

  /// min over fractions of max over dims of the mixture's load. Solves the equivalent form of the
  /// matrix game: with y = fractions / value, maximize sum(y) subject to loads^T·y ≤ 1.
  [[nodiscard]] double value() const {
    const std::size_t columns = loads_.size(), rows = loads_.front().size();
    std::vector<std::vector<double>> table(rows + 1, std::vector<double>(columns + rows + 1));
    std::vector<std::size_t> basis(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) table[r][c] = loads_[c][r];
      table[r][columns + r] = table[r].back() = 1;
      basis[r] = columns + r;
    }
    for (std::size_t c = 0; c < columns; ++c) table[rows][c] = -1;
    while (const auto enters = entering(table.back())) {
      std::optional<std::size_t> leaves;
      for (std::size_t r = 0; r < rows; ++r) {
        if (table[r][*enters] <= 1e-12) continue;
        const auto ratio = [&](std::size_t row) { return table[row].back() / table[row][*enters]; };
        if (!leaves || ratio(r) < ratio(*leaves) - 1e-15 ||
            (ratio(r) <= ratio(*leaves) && basis[r] < basis[*leaves]))
          leaves = r;
      }
      if (!leaves) return 0;
      pivot(table, *leaves, *enters);
      basis[*leaves] = *enters;
    }
    return 1 / table[rows].back();
  }

 private:
  static std::optional<std::size_t> entering(const std::vector<double>& objective) {
    for (std::size_t c = 0; c + 1 < objective.size(); ++c)
      if (objective[c] < -1e-11) return c;
    return std::nullopt;
  }
  static void pivot(std::vector<std::vector<double>>& table, std::size_t row, std::size_t column) {
    const double by = table[row][column];
    for (double& value : table[row]) value /= by;
    for (std::size_t r = 0; r < table.size(); ++r) {
      const double times = table[r][column];
      if (r == row || times == 0) continue;
      for (std::size_t c = 0; c < table[r].size(); ++c) table[r][c] -= times * table[row][c];
    }
  }

  std::vector<std::vector<double>> loads_;
};

}  // namespace orrery::model
