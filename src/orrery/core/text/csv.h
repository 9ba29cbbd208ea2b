// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes CSV: lines, rows and quoted cells. Source: RFC 4180. It leaves open whether
// blanks around cells belong to them; here they do not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// `text` without leading and trailing blanks, tabs and carriage returns.
[[nodiscard]] std::string_view trim_cell(std::string_view text);

/// Returns the lines of `text` one by one and skips a UTF-8 byte order mark. `text` must outlive
/// it.
class TrimmedLineReader {
 public:
  TrimmedLineReader(std::string_view text, std::string where);

  /// The next line, trimmed; false after the last.
  [[nodiscard]] bool next(std::string_view& line);
  /// The position of the last returned line: "file:12".
  [[nodiscard]] std::string place() const;
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::string where_;
  std::size_t number_ = 0;
};

/// Overwrites `cells` with the trimmed cells of one row. A cell in double quotes may contain
/// commas; a quote inside is written twice. Returns false if a quote is not closed or text is
/// outside of the quotes. Views point into `row`, or into `retained` for cells with quotes inside.
/// O(bytes)
[[nodiscard]] bool split_csv_row(std::string_view row, std::vector<std::string_view>& cells,
                                 std::vector<std::string>& retained);

/// `text` as a cell. If it contains a comma, a quote or a line break, it is put in double quotes
/// and quotes inside are doubled; otherwise it is unchanged. O(bytes)
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace orrery
