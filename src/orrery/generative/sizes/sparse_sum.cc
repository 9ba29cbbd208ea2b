// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/sizes/sparse_sum.h"

#include <algorithm>
#include <cmath>

namespace orrery::generative {
namespace {

using Columns = std::vector<std::vector<double>>;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t r = 0; r < a.size(); ++r) sum += a[r] * b[r];
  return sum;
}

/// Coefficients of the chosen columns with the least squared error; empty if they are dependent.
/// Modified Gram-Schmidt.
std::vector<double> least_squares(const Columns& columns, const std::vector<std::size_t>& chosen) {
  const std::size_t n = chosen.size(), rows = columns[chosen[0]].size();
  Columns q;
  std::vector<std::vector<double>> r(n, std::vector<double>(n, 0));
  std::vector<double> target(rows, 1.0), projected(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> column = columns[chosen[i]];
    const double whole = std::sqrt(dot(column, column));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < i; ++j) {
        const double part = dot(q[j], column);
        r[j][i] += part;
        for (std::size_t k = 0; k < rows; ++k) column[k] -= part * q[j][k];
      }
    }
    r[i][i] = std::sqrt(dot(column, column));
    if (r[i][i] <= 1e-9 * whole) return {};
    for (double& value : column) value /= r[i][i];
    projected[i] = dot(column, target);
    for (std::size_t k = 0; k < rows; ++k) target[k] -= projected[i] * column[k];
    q.push_back(std::move(column));
  }
  std::vector<double> solution(n);
  for (std::size_t i = n; i-- > 0;) {
    double value = projected[i];
    for (std::size_t j = i + 1; j < n; ++j) value -= r[i][j] * solution[j];
    solution[i] = value / r[i][i];
  }
  return solution;
}

/// Subtracts from every column its projection on `direction`.
void remove_direction(Columns& columns, std::vector<double> direction) {
  const double norm = std::sqrt(dot(direction, direction));
  for (double& value : direction) value /= norm;
  for (auto& column : columns) {
    const double part = dot(column, direction);
    for (std::size_t r = 0; r < column.size(); ++r) column[r] -= part * direction[r];
  }
}

}  // namespace

std::vector<SparseSum> sparse_sums_to_one(const Columns& columns, std::size_t most) {
  std::vector<SparseSum> found;
  if (columns.empty()) return found;
  Columns rest = columns;  // the part of each column that the chosen ones do not explain
  std::vector<double> whole;
  whole.reserve(columns.size());
  for (const auto& column : columns) whole.push_back(std::sqrt(dot(column, column)));
  std::vector<std::size_t> chosen;
  std::vector<double> error(columns[0].size(), 1.0);
  while (chosen.size() < most) {
    std::size_t best = columns.size();
    double highest = 1e-12;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double norm = std::sqrt(dot(rest[c], rest[c]));
      if (norm <= 1e-9 * whole[c]) continue;  // explained by the chosen ones, or one of them
      const double match = std::fabs(dot(rest[c], error)) / norm;
      if (match <= highest * (1 + 1e-9)) continue;
      highest = match;
      best = c;
    }
    if (best == columns.size()) break;
    chosen.push_back(best);
    const std::vector<double> solution = least_squares(columns, chosen);
    if (solution.empty()) break;
    double largest = 0;
    for (std::size_t r = 0; r < error.size(); ++r) {
      error[r] = 1;
      for (std::size_t i = 0; i < chosen.size(); ++i)
        error[r] -= solution[i] * columns[chosen[i]][r];
      largest = std::max(largest, std::fabs(error[r]));
    }
    if (largest < 1e-3) found.push_back({chosen, solution});
    if (largest < 1e-13) break;
    remove_direction(rest, rest[best]);
  }
  return found;
}

}  // namespace orrery::generative
