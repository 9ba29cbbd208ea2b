// SPDX-License-Identifier: Apache-2.0
//
// Headers and rows of nccl-tests' tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/calibrate/measurements/benchmark.h"

namespace orrery::calibrate {

/// The words of a line, between blanks and tabs; empty when there are more than 64.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view line);

/// Which column holds what.
class TableLayout {
 public:
  /// True when the words are a header; it is kept.
  bool take(std::span<const std::string_view> words);
  [[nodiscard]] bool known() const { return !columns_.empty(); }
  /// The line above the header says that the only group of columns is in place.
  void only_in_place(bool yes) { in_place_ = yes; }

  /// The one or two measurements of a row, without place, into `rows`; `wrong`: how many elements
  /// it says were wrong. False: no row of this table.
  [[nodiscard]] bool read(std::span<const std::string_view> words, std::vector<BenchmarkRow>& rows,
                          double& wrong) const;

 private:
  enum class Column : std::uint8_t {
    size,
    type,
    redop,
    root,
    time,
    cputime,
    algbw,
    busbw,
    wrong,
    other
  };

  [[nodiscard]] static Column column_of(std::string_view word);
  [[nodiscard]] bool fill(std::span<const std::string_view> words, std::span<const Column> columns,
                          std::vector<BenchmarkRow>& rows, double& wrong, bool first_absent) const;
  [[nodiscard]] bool common(std::string_view word, Column column, BenchmarkRow& row) const;
  [[nodiscard]] static bool timed(std::string_view word, Column column, BenchmarkRow& row,
                                  double& wrong);

  std::vector<Column> columns_;
  std::size_t before_ = 0;  // columns before the first time
  std::size_t group_ = 0;   // columns from one time to the next
  bool stamped_ = false;    // a date and a time of day behind all
  bool in_place_ = false;
};

}  // namespace orrery::calibrate
