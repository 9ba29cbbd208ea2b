// SPDX-License-Identifier: Apache-2.0
//
// Finds strings, keys and values in JSON text. The text may be invalid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::trace::json {

/// True for white space between JSON tokens (RFC 8259, section 2).
[[nodiscard]] constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Position of the first non-space byte from `at` on, or the end.
[[nodiscard]] inline std::size_t skip_space(std::string_view text, std::size_t at = 0) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

[[nodiscard]] inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Position of the quote that ends a string with content from `at` on, or the end.
[[nodiscard]] inline std::size_t closing_quote(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

/// Position after the string with its opening quote at `at`, or the end.
[[nodiscard]] inline std::size_t string_end(std::string_view text, std::size_t at) {
  return std::min(closing_quote(text, at + 1) + 1, text.size());
}

/// Separates strings from other text, byte by byte.
class StringTracker {
 public:
  /// True if the next byte `c` belongs to a string, including its quotes.
  bool take(char c) {
    if (!inside_) return inside_ = c == '"';
    if (escape_) {
      escape_ = false;
    } else if (c == '\\') {
      escape_ = true;
    } else if (c == '"') {
      inside_ = false;
    }
    return true;
  }
  /// True inside an unfinished string.
  [[nodiscard]] bool inside() const { return inside_; }

 private:
  bool inside_ = false;
  bool escape_ = false;
};

/// Finds the end of one value that is fed in pieces.
class ValueScanner {
 public:
  /// Number of bytes of `text` that belong to the value; empty if the value continues.
  std::optional<std::size_t> feed(std::string_view text);
  /// Maximum number of nested objects and arrays so far.
  [[nodiscard]] std::uint64_t max_depth() const { return max_depth_; }

 private:
  StringTracker strings_;
  std::uint64_t depth_ = 0;
  std::uint64_t max_depth_ = 0;
};

/// Iterates over all keys of a text at any depth. A key is a string before a colon.
class KeyIterator {
 public:
  explicit KeyIterator(std::string_view text) : text_(text) {}

  /// Moves to the next key; false at the end.
  bool next();
  /// The raw key without its quotes.
  [[nodiscard]] std::string_view key() const { return key_; }
  /// Number of enclosing objects and arrays.
  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  /// Position of its value, or the end.
  [[nodiscard]] std::size_t value() const { return value_; }
  /// True if the outermost object or array ended before the key.
  [[nodiscard]] bool is_outside() const { return is_outside_; }

 private:
  std::string_view text_;
  std::string_view key_;
  std::size_t at_ = 0;
  std::size_t value_ = 0;
  std::uint64_t depth_ = 0;
  bool is_outside_ = false;
};

/// True if arrays and objects nest deeper than `most`. Call it before parsing, because parsing
/// costs more with depth. Linear time.
[[nodiscard]] bool nests_deeper(std::string_view text, int most);

}  // namespace orrery::trace::json
