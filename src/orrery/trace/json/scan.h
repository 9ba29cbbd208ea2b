// SPDX-License-Identifier: Apache-2.0
//
// Where strings, keys and values begin and end in JSON text. Nothing here needs it to be sound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::trace::json {

/// What may stand between JSON's tokens (RFC 8259, section 2).
[[nodiscard]] constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// The place of the first byte from `at` on that is no space, or the end.
[[nodiscard]] inline std::size_t skip_space(std::string_view text, std::size_t at = 0) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

[[nodiscard]] inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// The place of the quote that ends a string whose content begins at `at`, or the end.
[[nodiscard]] inline std::size_t closing_quote(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

/// The place behind the string whose opening quote is at `at`, or the end.
[[nodiscard]] inline std::size_t string_end(std::string_view text, std::size_t at) {
  return std::min(closing_quote(text, at + 1) + 1, text.size());
}

/// Tells strings from what is around them, byte by byte.
class Strings {
 public:
  /// Whether the next byte belongs to a string, its quotes included.
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
  /// A string has begun and not ended.
  [[nodiscard]] bool inside() const { return inside_; }

 private:
  bool inside_ = false;
  bool escape_ = false;
};

/// Finds the end of one value, fed piece by piece.
class ValueEnd {
 public:
  /// How many bytes of `text` belong to the value; empty if it goes on.
  std::optional<std::size_t> feed(std::string_view text);
  /// How many objects and arrays were open at once, so far.
  [[nodiscard]] std::uint64_t deepest() const { return deepest_; }

 private:
  Strings strings_;
  std::uint64_t depth_ = 0;
  std::uint64_t deepest_ = 0;
};

/// Walks over all keys of a text, however deep: the strings that a colon follows.
class Keys {
 public:
  explicit Keys(std::string_view text) : text_(text) {}

  /// Moves to the next key; false at the end.
  bool next();
  /// As it is written, without its quotes.
  [[nodiscard]] std::string_view key() const { return key_; }
  /// How many objects and arrays are around it.
  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  /// Where its value begins, or the end.
  [[nodiscard]] std::size_t value() const { return value_; }
  /// The outermost object or array ended before it.
  [[nodiscard]] bool outside() const { return outside_; }

 private:
  std::string_view text_;
  std::string_view key_;
  std::size_t at_ = 0;
  std::size_t value_ = 0;
  std::uint64_t depth_ = 0;
  bool outside_ = false;
};

/// True when arrays and objects nest deeper than `most`. Looked at before parsing, whose cost grows
/// with depth. Linear.
[[nodiscard]] bool nests_deeper(std::string_view text, int most);

}  // namespace orrery::trace::json
