// SPDX-License-Identifier: Apache-2.0
//
// Sums of few columns that equal one in every row.
#pragma once

#include <cstddef>
#include <vector>

namespace orrery::generative {

struct SparseSum {
  std::vector<std::size_t> columns;
  std::vector<double> coefficients;
};

/// Candidates with one to `most` columns, whose error in every row is below 1e-3 before rounding.
/// Each column has the same number of rows. Orthogonal least squares (Chen, Billings and Luo,
/// International Journal of Control 50, 1989): the next column is the one that reduces the squared
/// error most. O(most × columns × rows).
[[nodiscard]] std::vector<SparseSum> sparse_sums_to_one(
    const std::vector<std::vector<double>>& columns, std::size_t most);

}  // namespace orrery::generative
