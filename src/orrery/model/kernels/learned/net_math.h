// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of nets.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Numbers by chance, the same for the same seed. Source: Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014 (SplitMix64).
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Below `count`, which is above 0.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  /// From -1 to 1.
  double even();

 private:
  std::uint64_t state_;
};

}  // namespace orrery::model
