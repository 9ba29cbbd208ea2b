// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/matrix.h"

#include <algorithm>
#include <array>

namespace orrery::model {
namespace {

constexpr std::size_t kRowsAtOnce = 4, kColumnsAtOnce = 8;  // sums that fit in registers

/// c[i .. i + 4][j .. j + 8] += a[i .. i + 4][…] · b[…][j .. j + 8]
void add_tile(const Matrix& a, const Matrix& b, Matrix& c, std::size_t i, std::size_t j) {
  std::array<std::array<float, kColumnsAtOnce>, kRowsAtOnce> sums;
  for (std::size_t r = 0; r < kRowsAtOnce; ++r)
    std::copy_n(c.row(i + r) + j, kColumnsAtOnce, sums[r].begin());
  const std::array<const float*, kRowsAtOnce> left = {a.row(i), a.row(i + 1), a.row(i + 2),
                                                      a.row(i + 3)};
  for (std::size_t k = 0; k < a.columns; ++k) {
    const float* const right = b.row(k) + j;
    for (std::size_t r = 0; r < kRowsAtOnce; ++r)
      for (std::size_t column = 0; column < kColumnsAtOnce; ++column)
        sums[r][column] += left[r][k] * right[column];
  }
  for (std::size_t r = 0; r < kRowsAtOnce; ++r)
    std::copy_n(sums[r].begin(), kColumnsAtOnce, c.row(i + r) + j);
}

/// The same for the remaining rows and columns.
void add_edge(const Matrix& a, const Matrix& b, Matrix& c, std::size_t i, std::size_t from,
              std::size_t to) {
  float* const sums = c.row(i);
  for (std::size_t k = 0; k < a.columns; ++k) {
    const float left = a.row(i)[k];
    const float* const right = b.row(k);
    for (std::size_t j = from; j < to; ++j) sums[j] += left * right[j];
  }
}

}  // namespace

void add_product(const Matrix& a, const Matrix& b, Matrix& c) {
  const std::size_t rows = c.rows - c.rows % kRowsAtOnce;
  const std::size_t columns = c.columns - c.columns % kColumnsAtOnce;
  for (std::size_t i = 0; i < rows; i += kRowsAtOnce) {
    for (std::size_t j = 0; j < columns; j += kColumnsAtOnce) add_tile(a, b, c, i, j);
    if (columns < c.columns)
      for (std::size_t r = i; r < i + kRowsAtOnce; ++r) add_edge(a, b, c, r, columns, c.columns);
  }
  for (std::size_t i = rows; i < c.rows; ++i) add_edge(a, b, c, i, 0, c.columns);
}

void transpose(const Matrix& from, Matrix& into) {
  into.resize(from.columns, from.rows);
  for (std::size_t i = 0; i < from.rows; ++i)
    for (std::size_t j = 0; j < from.columns; ++j) into.row(j)[i] = from.row(i)[j];
}

}  // namespace orrery::model
