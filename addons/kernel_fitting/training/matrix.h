// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of nets.
#pragma once

#include <cstddef>
#include <vector>

namespace orrery::model {

/// Numbers in rows.
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

/// c += a · b. Each sum is made in the order of a's columns.
void add_product(const Matrix& a, const Matrix& b, Matrix& c);

void transpose(const Matrix& from, Matrix& into);

}  // namespace orrery::model
