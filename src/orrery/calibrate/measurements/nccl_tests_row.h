// SPDX-License-Identifier: Apache-2.0
//
// Headers and rows of the tables that nccl-tests prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/calibrate/measurements/benchmark_run.h"

namespace orrery::calibrate {

/// The words of a line, separated by blanks and tabs. Empty: there are more than 64.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view line);

/// The meaning of the columns of a table.
class TableLayout {
 public:
  /// Stores the layout if the words are a header. False: they are not.
  bool parse_header(std::span<const std::string_view> words);
  [[nodiscard]] bool is_known() const { return !columns_.empty(); }
  /// The index of the column with the number format; empty: the table has none.
  [[nodiscard]] std::optional<std::size_t> type_column() const;
  /// Sets whether the only group of columns is in place (from the line above the header).
  void set_in_place(bool yes) { in_place_ = yes; }

  /// Adds the one or two measurements of a row to `rows`, without `place`, and adds the printed
  /// number of wrong elements to `wrong`. False: the words are not a row of this table.
  [[nodiscard]] bool parse_row(std::span<const std::string_view> words,
                               std::vector<BenchmarkRow>& rows, double& wrong) const;

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
  [[nodiscard]] bool add_measurements(std::span<const std::string_view> words,
                                      std::span<const Column> columns,
                                      std::vector<BenchmarkRow>& rows, double& wrong,
                                      bool first_absent) const;
  [[nodiscard]] bool parse_common_cell(std::string_view word, Column column,
                                       BenchmarkRow& row) const;
  [[nodiscard]] static bool parse_time_cell(std::string_view word, Column column, BenchmarkRow& row,
                                            double& wrong);

  std::vector<Column> columns_;
  std::size_t first_time_ = 0;   // number of columns before the first time
  std::size_t time_stride_ = 0;  // number of columns from one time to the next
  bool has_timestamp_ = false;   // rows end with a date and a time of day
  bool in_place_ = false;
};

}  // namespace orrery::calibrate
