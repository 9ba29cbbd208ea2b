// SPDX-License-Identifier: Apache-2.0
//
// A position in the text of a program, with what MLIR and HLO text share: words, brackets, strings,
// comments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/hlo/program/program.h"

namespace orrery::hlo {

/// Reads text from left to right. The text outlives the cursor and what it returns.
class Cursor {
 public:
  explicit Cursor(std::string_view text, std::uint32_t line = 1) : text_(text), line_(line) {}

  /// Skips space and comments ("//" to the end of the line, "/* */").
  void skip_space();
  /// The next character after space; '\0' at the end.
  [[nodiscard]] char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  /// The character so many places further, without skipping.
  [[nodiscard]] char ahead(std::size_t by) const {
    return at_ + by < text_.size() ? text_[at_ + by] : '\0';
  }
  /// Whether the text continues so, after space; then skips it.
  bool take(std::string_view expected);
  [[nodiscard]] bool at(std::string_view expected);
  /// Letters, digits and "_.$-" from here ('-' only before a letter or digit, as in HLO); may be
  /// empty.
  [[nodiscard]] std::string_view word(bool hyphens = false);
  /// A word after a sigil (%, @, #, ^, !), which may be in quotes, or "" if it is missing.
  [[nodiscard]] std::string_view name_after_sigil();
  /// A string in quotes, without them; "" if there is none.
  [[nodiscard]] std::string_view quoted();
  /// The text of a bracket (( [ { < and what closes it), with the brackets. Empty: it does not end.
  [[nodiscard]] std::string_view bracket();
  /// The text up to one of `ends` outside of brackets and strings.
  [[nodiscard]] std::string_view until(std::string_view ends);
  void skip(std::size_t count);
  void skip_line();

  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] bool done() { return peek() == '\0'; }
  [[nodiscard]] std::size_t offset() const { return at_; }

 private:
  void skip_string();

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_;
};

/// All integers in a text, in order: "dense<[[0, 1], [2, 3]]>" has 0 1 2 3. Words with digits
/// ("i64") have none; 0x and fractions neither. At most `most` numbers.
[[nodiscard]] std::vector<std::int64_t> integers_in(std::string_view text,
                                                    std::size_t most = kMostOperations);

/// The value of `key` in "{a = 1, b = [2]}", of any kind of bracket, or "".
[[nodiscard]] std::string_view value_in(std::string_view dictionary, std::string_view key);

/// The error of a reader that expected something else: "file:line" of `line`, or of the cursor if
/// it is 0. At the end of the text, Errc is input_truncated; else input_corrupt.
[[nodiscard]] Error text_error(Cursor& cursor, const std::string& where, std::string what,
                               std::uint32_t line, const char* hint);

}  // namespace orrery::hlo
