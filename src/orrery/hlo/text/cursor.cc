// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/text/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace orrery::hlo {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Cursor::skip(std::size_t count) {
  const std::size_t end = std::min(at_ + count, text_.size());
  line_ += static_cast<std::uint32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(end),
                                                 '\n'));
  at_ = end;
}

void Cursor::skip_line() {
  const std::size_t end = text_.find('\n', at_);
  skip(end == std::string_view::npos ? text_.size() - at_ : end + 1 - at_);
}

void Cursor::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at_;
    } else if (c == '/' && ahead(1) == '/') {
      skip_line();
    } else if (c == '/' && ahead(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      skip(end == std::string_view::npos ? text_.size() - at_ : end + 2 - at_);
    } else {
      return;
    }
  }
}

bool Cursor::at(std::string_view expected) {
  skip_space();
  return text_.substr(at_).starts_with(expected);
}

bool Cursor::take(std::string_view expected) {
  if (!at(expected)) return false;
  at_ += expected.size();
  return true;
}

std::string_view Cursor::word(bool hyphens) {
  skip_space();
  std::size_t end = at_;
  while (end < text_.size()) {
    const char c = text_[end];
    const bool hyphen = hyphens && c == '-' && end + 1 < text_.size() && text_[end + 1] != '>';
    if (!is_letter(c) && !is_digit(c) && c != '.' && !hyphen) break;
    ++end;
  }
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return found;
}

std::string_view Cursor::name_after_sigil() {
  skip(1);
  if (ahead(0) == '"') return quoted();
  if (ahead(0) == ' ') return {};
  return word(true);
}

std::string_view Cursor::quoted() {
  if (peek() != '"') return {};
  const std::size_t begin = at_ + 1;
  skip_string();
  return text_.substr(begin, at_ > begin ? at_ - begin - 1 : 0);
}

void Cursor::skip_string() {
  std::size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
  skip(std::min(end + 1, text_.size()) - at_);
}

std::string_view Cursor::bracket() {
  skip_space();
  const std::size_t begin = at_;
  std::string open;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      skip_string();
      continue;
    }
    if ((c == '-' && ahead(1) == '>') || (c == '<' && ahead(1) == '=')) {  // "->", "<="
      at_ += 2;
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      open.push_back(c);
      if (open.size() > kMostDepth) return {};
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      const char opened = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<';
      if (open.empty() || open.back() != opened) return {};
      open.pop_back();
    }
    skip(1);
    if (open.empty()) return text_.substr(begin, at_ - begin);
  }
  return {};
}

std::string_view Cursor::until(std::string_view ends) {
  skip_space();
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (ends.find(c) != std::string_view::npos && !(c == '>' && at_ > 0 && text_[at_ - 1] == '-'))
      break;
    if (c == '"') {
      skip_string();
    } else if (c == '<' && ahead(1) == '=') {
      skip(2);
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (bracket().empty()) break;
    } else {
      skip(1);
    }
  }
  std::string_view found = text_.substr(begin, at_ - begin);
  while (!found.empty() && (found.back() == ' ' || found.back() == '\n' || found.back() == '\r' ||
                            found.back() == '\t'))
    found.remove_suffix(1);
  return found;
}

std::vector<std::int64_t> integers_in(std::string_view text, std::size_t most) {
  std::vector<std::int64_t> found;
  std::size_t i = 0;
  while (i < text.size() && found.size() < most) {
    const char c = text[i];
    if (c == '"') {
      i = std::min(text.find('"', i + 1), text.size() - 1) + 1;
      continue;
    }
    const bool negative = c == '-' && i + 1 < text.size() && is_digit(text[i + 1]);
    if (!is_digit(c) && !negative) {
      // Skip words with their digits.
      if (is_letter(c)) {
        while (i < text.size() && (is_letter(text[i]) || is_digit(text[i]))) ++i;
      } else {
        ++i;
      }
      continue;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    i = static_cast<std::size_t>(end - text.data());
    const bool whole = i >= text.size() || (text[i] != '.' && !is_letter(text[i]));
    while (i < text.size() && (is_digit(text[i]) || is_letter(text[i]) || text[i] == '.')) ++i;
    if (whole && error == std::errc()) found.push_back(value);
  }
  return found;
}

std::string_view value_in(std::string_view dictionary, std::string_view key) {
  const std::size_t first = dictionary.find_first_of("{<(");
  if (first == std::string_view::npos) return {};
  Cursor cursor(dictionary.substr(first + 1));
  if (dictionary.substr(first).starts_with("<{")) cursor.skip(1);
  while (!cursor.done()) {
    const std::string_view quoted = cursor.quoted();
    const std::string_view found = quoted.empty() ? cursor.word() : quoted;
    if (cursor.take("=")) {
      const std::string_view value = cursor.until(",}>)");
      if (found == key) return value;
    } else if (found == key) {
      return found;
    } else if (found.empty()) {
      cursor.skip(1);
    }
    cursor.take(",");
  }
  return {};
}

Error text_error(Cursor& cursor, const std::string& where, std::string what, std::uint32_t line,
                 const char* hint) {
  const bool ended = line == 0 && cursor.done();
  return {ended ? Errc::input_truncated : Errc::input_corrupt,
          fmt::format("{}:{}", where, line > 0 ? line : cursor.line()),
          ended ? "the file ends inside a program" : std::move(what), hint};
}

}  // namespace orrery::hlo
