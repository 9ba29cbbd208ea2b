// SPDX-License-Identifier: Apache-2.0
//
// Matrix arithmetic for neural networks.
#pragma once

#include <cstddef>
#include <vector>

namespace orrery::model {

/// A matrix, row by row.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;

  void resize(std::size_t with_rows, std::size_t with_columns) {
    rows = with_rows;
    columns = with_columns;
    values.resize(rows * columns);
  }
  [[nodiscard]] float* row(std::size_t i) { return values.data() + i * columns; }
  [[nodiscard]] const float* row(std::size_t i) const { return values.data() + i * columns; }
};

/// c += a · b. Sums over a's columns are in ascending order.
void add_product(const Matrix& a, const Matrix& b, Matrix& c);

void transpose(const Matrix& from, Matrix& into);

}  // namespace orrery::model
