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

/// Hands out the lines of a source one by one, however long the source is. A mark of UTF-8 in front
/// is passed over.
class TextLines {
 public:
  TextLines(trace::ByteSource& source, std::string where);

  /// The next line, without its newline; false after the last. Valid until the next call. Errc: the
  /// source's, limit_exceeded (a line longer than limits::kJsonElementBytes).
  [[nodiscard]] Result<bool> next(std::string_view& line);
  /// "file:12", of the line that was handed out last.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] const std::string& where() const { return where_; }
  /// The last line had a newline.
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  trace::Window window_;
  std::string where_;
  std::uint64_t number_ = 0;
  std::size_t held_ = 0;  // bytes of the line that was handed out
  bool whole_ = true;
};

}  // namespace orrery::calibrate
