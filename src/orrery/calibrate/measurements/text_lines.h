// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace orrery::calibrate
