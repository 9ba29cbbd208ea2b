// SPDX-License-Identifier: Apache-2.0
//
// Words of a graph in Graphviz' dot language, without the whole file in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/window.h"

namespace orrery::intake {

/// A word of the dot language.
struct DotWord {
  /// `arrow` is "->"; `mark` is one of "{}[];,=:"
  enum class Kind : std::uint8_t { end, name, quoted, arrow, mark };

  Kind kind = Kind::end;
  std::string text;  ///< without quotes and the backslashes before them

  [[nodiscard]] bool is(char mark) const {
    return kind == Kind::mark && text.size() == 1 && text.front() == mark;
  }
};

/// Reads a source word by word; skips comments. Source: the grammar at graphviz.org/doc/info/lang.
class DotWords {
 public:
  /// `source` outlives the reader; `where` names the file.
  DotWords(trace::ByteSource& source, std::string where)
      : window_(source), where_(std::move(where)) {}

  /// Errc: input_truncated (a quoted word or a comment without its end), limit_exceeded (a word
  /// longer than kLongestWord), input_corrupt (a character that no word begins with), and those of
  /// the source.
  [[nodiscard]] Result<DotWord> next();
  /// "file:line 3"
  [[nodiscard]] std::string place() const;
  [[nodiscard]] const std::string& where() const { return where_; }

  static constexpr std::size_t kLongestWord = 64u << 10;

 private:
  [[nodiscard]] Result<bool> skip_blanks();
  [[nodiscard]] Result<void> skip_comment(std::string_view end);
  [[nodiscard]] Result<DotWord> quoted();
  [[nodiscard]] Result<DotWord> name();
  [[nodiscard]] Result<bool> has(std::size_t count) { return window_.need(count); }
  char take();

  trace::Window window_;
  std::string where_;
  std::uint64_t line_ = 1;
};

}  // namespace orrery::intake
