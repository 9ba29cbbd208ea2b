// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/dot_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"

namespace orrery::intake {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f\n";
constexpr std::string_view kMarks = "{}[];,=:";

/// Characters of names and of numbers.
bool is_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

}  // namespace

std::string DotWords::place() const { return fmt::format("{}:line {}", where_, line_); }

char DotWords::take() {
  const char c = window_.text().front();
  if (c == '\n') ++line_;
  window_.consume(1);
  return c;
}

Result<void> DotWords::skip_comment(std::string_view end) {
  for (;;) {
    const auto more = has(end.size());
    if (!more) return tl::unexpected(more.error());
    if (!*more) {
      while (window_.size() > 0) take();
      if (end == "\n") return {};
      return fail(Errc::input_truncated, place(), "the file ends inside a comment");
    }
    const bool ends = window_.text().starts_with(end);
    for (std::size_t i = 0; i < (ends ? end.size() : 1); ++i) take();
    if (ends) return {};
  }
}

/// False at the end of the file.
Result<bool> DotWords::skip_blanks() {
  for (bool at_line_start = line_ == 1 && window_.offset() == 0;;) {
    const auto two = has(2);
    if (!two) return two;
    if (window_.size() == 0) return false;
    const std::string_view text = window_.text();
    const bool line_comment = text.starts_with("//") || (at_line_start && text.front() == '#');
    if (line_comment || text.starts_with("/*")) {
      if (auto done = skip_comment(line_comment ? "\n" : "*/"); !done)
        return tl::unexpected(done.error());
      at_line_start = line_comment;
    } else if (kBlanks.find(text.front()) != kBlanks.npos) {
      at_line_start = take() == '\n';
    } else {
      return true;
    }
  }
}

Result<DotWord> DotWords::quoted() {
  DotWord word{DotWord::Kind::quoted, {}};
  const std::string begin = place();
  take();
  for (;;) {
    const auto more = has(1);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return fail(Errc::input_truncated, begin, "a quoted text has no end");
    if (word.text.size() == kLongestWord)
      return fail(Errc::limit_exceeded, begin,
                  fmt::format("a quoted text is longer than {} bytes", kLongestWord));
    const char c = take();
    if (c == '"') return word;
    if (c == '\\') {
      const auto escaped = has(1);
      if (!escaped) return tl::unexpected(escaped.error());
      if (*escaped && window_.text().front() == '"') {
        word.text.push_back(take());
        continue;
      }
    }
    word.text.push_back(c);
  }
}

Result<DotWord> DotWords::name() {
  DotWord word{DotWord::Kind::name, {}};
  for (;;) {
    const auto more = has(1);
    if (!more) return tl::unexpected(more.error());
    if (!*more || (!is_in_name(window_.text().front()) &&
                   !(word.text.empty() && window_.text().front() == '-')))
      return word;
    if (word.text.size() == kLongestWord)
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("a name is longer than {} bytes", kLongestWord));
    word.text.push_back(take());
  }
}

Result<DotWord> DotWords::next() {
  const auto more = skip_blanks();
  if (!more) return tl::unexpected(more.error());
  if (!*more) return DotWord{};
  const std::string_view text = window_.text();
  const char c = text.front();
  if (c == '"') return quoted();
  if (text.starts_with("->")) {
    window_.consume(2);
    return DotWord{DotWord::Kind::arrow, "->"};
  }
  if (is_in_name(c) || c == '-') return name();
  if (kMarks.find(c) == kMarks.npos)
    return fail(Errc::input_corrupt, place(),
                fmt::format("{} begins no word of the dot language", in_quotes(text.substr(0, 1))));
  return DotWord{DotWord::Kind::mark, std::string(1, take())};
}

}  // namespace orrery::intake
