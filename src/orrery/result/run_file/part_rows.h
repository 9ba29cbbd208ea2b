// SPDX-License-Identifier: Apache-2.0
//
// Expands the rows of a parted table. Private to the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/result/run_file/table_reader.h"

namespace orrery::result {

/// Reads the parts of a table and their stored rows, and computes the other rows.
class PartRows {
 public:
  PartRows(DatabaseReader& reader, const PartedTable& parted);

  /// Of the rows, `id` first.
  [[nodiscard]] const std::vector<std::string_view>& columns() const { return columns_; }

  /// Moves to the next row, with number `row`; false after the last one and after an error.
  bool next(std::uint64_t row);

  // Values of the current row, from column 1.
  [[nodiscard]] sqlite::Type type(int column) const {
    const int row = source(column).row;
    if (row < 0) return sqlite::Type::integer;
    return repeats_ ? cell(row).type : stored_.statement_->type(row);
  }
  [[nodiscard]] std::int64_t number(int column) const {
    const Source& from = source(column);
    if (repeats_) return computed(from);
    return from.row < 0 ? part_[static_cast<std::size_t>(from.part)]
                        : stored_.statement_->integer(from.row);
  }
  /// Empty if the file contains more text than its size allows.
  [[nodiscard]] std::optional<std::string_view> text(int column) const;

 private:
  /// Where a column comes from: from a stored row, if `row` is not negative, else from the part.
  struct Source {
    int row = -1;
    int part = -1;      ///< in part_: the column, or its step; -1: neither
    int row_step = -1;  ///< column with the step; -1: none
  };
  struct Cell {
    sqlite::Type type = sqlite::Type::null;
    std::int64_t number = 0;  ///< of a text: its index in texts_
  };

  void add_source(std::string_view column);
  bool next_part(std::uint64_t row);
  void check_part(std::uint64_t first_stored);
  bool read_stored();
  void copy_stored();
  [[nodiscard]] std::int64_t computed(const Source& from) const;
  [[nodiscard]] const Source& source(int column) const {
    return sources_[static_cast<std::size_t>(column)];
  }
  [[nodiscard]] const Cell& cell(int column) const {
    return cells_[place_ * width_ + static_cast<std::size_t>(column)];
  }

  DatabaseReader& reader_;
  const PartedTable& parted_;
  TableRows parts_, stored_;
  std::vector<std::string_view> columns_;
  std::vector<Source> sources_;     // by column
  std::vector<std::int64_t> part_;  // columns of the current part, after its id
  std::uint64_t rows_ = 0, period_ = 0;
  std::uint64_t read_ = 0;  // rows of the current part
  bool repeats_ = false;    // whether the part leaves out rows
  // The current row: number in its period, and number of the period.
  std::size_t place_ = 0;
  std::int64_t repetition_ = 0;
  std::uint64_t stored_rows_ = 0;  // so far
  // The first period of a part that leaves out rows.
  std::size_t width_ = 0;
  std::vector<Cell> cells_;
  std::vector<std::string> texts_;
};

}  // namespace orrery::result
