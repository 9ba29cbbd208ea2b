// SPDX-License-Identifier: Apache-2.0
//
// CSV, read and written: lines of text files, cells of rows, and cells in quotes. Source: RFC 4180;
// blanks around cells are no part of them, which it leaves open.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// `text` without blanks, tabs and carriage returns around it.
[[nodiscard]] std::string_view trimmed_cell(std::string_view text);

/// Hands out the lines of `text`, which must outlive it, one by one; a mark of UTF-8 in front is
/// passed over.
class TrimmedLineReader {
 public:
  TrimmedLineReader(std::string_view text, std::string where);

  /// The next line, trimmed; false after the last.
  [[nodiscard]] bool next(std::string_view& line);
  /// "file:12", of the line that was handed out last.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::string where_;
  std::size_t number_ = 0;
};

/// The cells of one row, trimmed; `cells` is overwritten. Cells may stand in double quotes, a quote
/// inside written twice, and may then hold commas. False: quotes that do not end, or text beside
/// them. Views point into `row`; of cells with quotes inside, into `kept`. O(bytes)
[[nodiscard]] bool split_csv_row(std::string_view row, std::vector<std::string_view>& cells,
                                 std::vector<std::string>& retained);

/// `text` as a cell: in double quotes, those inside written twice, if it holds a comma, a quote or
/// the end of a line; else as it is. O(bytes)
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace orrery
