// SPDX-License-Identifier: Apache-2.0
//
// Lines of logs. Launchers print ranks, times, tags or pod names before each line of a benchmark:
// "0: " (srun), "[1,0]<stdout>:" (mpirun), "[0]", "worker-0 | ", "2026-01-02T03:04:05Z ". The
// prefix is not recognized by its form, but by what follows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/window.h"

namespace orrery::calibrate {

/// Reads a source of any length line by line. Skips a byte order mark of UTF-8 at the begin.
class TextLines {
 public:
  TextLines(trace::ByteSource& source, std::string where);

  /// Sets `line` to the next line, without its newline, valid until the next call. False: there are
  /// no more lines. Errc: the source's, limit_exceeded (a line longer than
  /// limits::kJsonElementBytes).
  [[nodiscard]] Result<bool> next(std::string_view& line);
  /// "file:12" for the last line that next() returned.
  [[nodiscard]] std::string place() const;

 private:
  trace::Window window_;
  std::string where_;
  std::uint64_t number_ = 0;
  std::size_t line_bytes_ = 0;  // of the last returned line, with its newline
};

/// The line without escape sequences of terminals. `buffer` stores the result if there are any.
[[nodiscard]] std::string_view without_colors(std::string_view line, std::string& buffer);

/// The comment of nccl-tests in a line, from its '#' on; empty if the line has none. After a
/// prefix, only a comment that nccl-tests prints counts.
[[nodiscard]] std::string_view benchmark_comment(std::string_view line);

/// Reduces the words of a line to those of a row of a table: whole numbers, then the number format
/// in column `type`. Removes the words before the row, and the tags that a launcher repeats within
/// it ("-1[0]"). Without a number format (`type` empty, or an old table), a row begins with its
/// first word. Returns false if the line is no row. O(words).
[[nodiscard]] bool take_row(std::vector<std::string_view>& words, std::optional<std::size_t> type);

}  // namespace orrery::calibrate
