// SPDX-License-Identifier: Apache-2.0
//
// Words of a text file, line by line, without the whole file in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/window.h"

namespace orrery::intake {

/// Reads a source line by line ("\n" or "\r\n"). Skips lines that begin with "#", and comments as
/// in C.
class LineWords {
 public:
  /// `source` outlives the reader; `where` names the file. Each character in `alone` is a word.
  LineWords(trace::ByteSource& source, std::string where, std::string_view alone = {})
      : window_(source), where_(std::move(where)), alone_(alone) {}

  /// Moves to the next line that has words; false at the end. Errc: limit_exceeded for a line
  /// longer than kLongestLine, and those of the source.
  [[nodiscard]] Result<bool> next();
  /// The words of the line, separated by blanks. Valid until next().
  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }  ///< of the line, from 1
  /// "file:line 3"
  [[nodiscard]] std::string place() const;
  [[nodiscard]] const std::string& where() const { return where_; }

  static constexpr std::size_t kLongestLine = 64u << 10;

 private:
  Result<bool> read_line();
  void split(std::string_view line);

  trace::Window window_;
  std::string where_;
  std::string_view alone_;
  std::uint64_t number_ = 0;
  std::size_t used_ = 0;  // bytes of the current line, with its end
  bool in_comment_ = false;
  std::vector<std::string_view> words_;
};

/// The whole number that a word is. Errc: input_corrupt if it is none, input_range if it is
/// negative or above `most`. `what` names it, `place` its line.
[[nodiscard]] Result<std::int64_t> number_in(std::string_view word, std::string_view what,
                                             const std::string& place, std::int64_t most);

/// The time that a decimal number is, in units of 10^`digits` picoseconds; a fraction of a
/// picosecond is cut. Errc: as number_in.
[[nodiscard]] Result<Time> time_in(std::string_view word, int digits, std::string_view what,
                                   const std::string& place);

}  // namespace orrery::intake
