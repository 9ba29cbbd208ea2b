// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/plain_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "orrery/config/json.h"
#include "orrery/config/yaml_scalar.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"

namespace orrery::config {
namespace {

/// Carries an error out of the recursion; caught in parse_plain_yaml().
struct Refusal {
  Error error;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_break(char c) { return c == '\n' || c == '\r'; }
bool is_flow_mark(char c) { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto more = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    more(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    more(6), more(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    more(12), more(6), more(0);
  }
}

/// A recursive descent over the text. A column counts from 0; so does the indentation of a
/// collection, which is the column of its keys or dashes.
class Reader {
 public:
  Reader(std::string_view text, const std::string& where, std::vector<std::string>* repeated)
      : text_(text), where_(where), repeated_(repeated) {}

  Json document() {
    if (at_content() && starts("---")) {
      at_ += 3;
      if (!at_end() && !is_blank(peek()) && !is_break(peek())) stop("contains a directive");
    }
    if (!at_content()) return nullptr;
    Json root = block(-1);
    if (at_content()) stop("is not part of the value before it");
    return root;
  }

 private:
  [[noreturn]] void stop(std::string what, Errc code = Errc::config_syntax) const {
    throw Refusal{{code, place(at_), std::move(what), ""}};
  }

  std::string place(std::size_t offset) const {
    const std::string_view before = text_.substr(0, offset);
    const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return fmt::format("{}:{}:{}", where_, 1 + std::count(before.begin(), before.end(), '\n'),
                       offset - begin + 1);
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }
  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  int column() const {
    const std::size_t begin = at_ == 0 ? 0 : text_.rfind('\n', at_ - 1) + 1;
    return static_cast<int>(at_ - begin);
  }

  void skip_blanks() {
    while (!at_end() && is_blank(peek())) ++at_;
  }
  /// Blanks, a comment and the end of the line, if nothing else is left on it.
  bool end_line() {
    const std::size_t begin = at_;
    skip_blanks();
    if (!at_end() && peek() == '#' && (at_ == 0 || at_ > begin || is_break(text_[at_ - 1])))
      while (!at_end() && peek() != '\n') ++at_;
    if (!at_end() && peek() == '\r') ++at_;
    if (at_end()) return true;
    if (peek() != '\n') {
      at_ = begin;
      return false;
    }
    ++at_;
    return true;
  }
  /// Moves to the next text that is no comment; false: there is none.
  bool at_content() {
    while (!at_end() && end_line()) {
    }
    skip_blanks();
    return !at_end();
  }

  void count() {
    if (++values_ > limits::kConfigNodes)
      stop(fmt::format("more than {} values", limits::kConfigNodes), Errc::limit_exceeded);
  }

  struct Deeper {
    explicit Deeper(Reader& own) : reader(own) {
      if (++reader.depth_ > limits::kConfigDepth)
        reader.stop(fmt::format("nested deeper than {} levels", limits::kConfigDepth),
                    Errc::limit_exceeded);
    }
    ~Deeper() { --reader.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Reader& reader;
  };

  bool at_dash() const { return peek() == '-' && (is_blank(peek(1)) || is_break(peek(1))); }
  bool at_colon(bool in_flow) const {
    return peek() == ':' &&
           (is_blank(peek(1)) || is_break(peek(1)) || (in_flow && is_flow_mark(peek(1))));
  }

  /// The node that begins here, in a collection with indentation `parent`.
  Json block(int parent) {
    const int own = column();
    check_indentation();
    if (at_dash()) return sequence(own);
    if (peek() == '[' || peek() == '{' || !at_key()) {
      Json value = scalar_or_flow(parent);
      if (!end_line()) stop("text after a value");
      return value;
    }
    return mapping(own);
  }

  void check_indentation() const {
    for (std::size_t i = at_ - static_cast<std::size_t>(column()); i < at_; ++i)
      if (text_[i] == '\t') stop("a tab before a value: indent with blanks");
  }

  /// Whether a key and its colon stand here.
  bool at_key() {
    const std::size_t begin = at_;
    const bool quoted = peek() == '"' || peek() == '\'';
    bool found = false;
    if (quoted) {
      (void)quoted_text();
      skip_blanks();
      found = at_colon(false);
    } else {
      for (; !at_end() && !is_break(peek()) && !found; ++at_) {
        if (peek() == '#' && at_ > begin && is_blank(text_[at_ - 1])) break;
        found = at_colon(false);
      }
    }
    at_ = begin;
    return found;
  }

  Json sequence(int own) {
    const Deeper scope(*this);
    count();
    Json items = Json::array();
    do {
      ++at_;
      items.push_back(nested(own, false));
    } while (at_content() && column() == own && !at_document_mark() && at_dash());
    if (!at_end() && column() > own) stop("indented differently than the items before it");
    return items;
  }

  Json mapping(int own) {
    const Deeper scope(*this);
    count();
    Json members = Json::object();
    while (true) {
      check_indentation();
      if (!at_key()) stop("neither a key nor part of the value before it");
      const std::size_t place_of_key = at_;
      std::string key = key_text(false);
      add(members, std::move(key), place_of_key, nested(own, true));
      if (!at_content() || column() < own || at_document_mark()) return members;
      if (column() > own) stop("indented differently than the keys before it");
      if (at_dash()) return members;  // the caller's
    }
  }

  bool at_document_mark() {
    if (column() == 0 && (starts("---") || starts("..."))) stop("more than one YAML document");
    return false;
  }

  /// The value after a dash or a colon of a collection with indentation `own`.
  Json nested(int own, bool in_mapping) {
    if (end_line()) {
      if (!at_content()) return null_value();
      const int there = column();
      const bool is_list_below = in_mapping && there == own && at_dash();
      return there > own || is_list_below ? block(own) : null_value();
    }
    skip_blanks();
    if (!in_mapping) return block(own);  // "- key: value"
    if (at_dash()) stop("a list on the line of its key");
    Json value = scalar_or_flow(own);
    if (!end_line()) stop("text after a value");
    return value;
  }

  Json null_value() {
    count();
    return nullptr;
  }

  Json scalar_or_flow(int parent) {
    if (peek() == '[' || peek() == '{') return flow();
    count();
    if (peek() == '"' || peek() == '\'') return Json(quoted_text());
    return typed_scalar(plain_text(parent));
  }

  void refuse_marks() const {
    switch (peek()) {
      case '&':
      case '*':
        stop("anchors and aliases are not read here");
      case '!':
        stop("tags are not read here");
      case '|':
      case '>':
        stop("text blocks are not read here: quote the text");
      case '%':
      case '@':
      case '`':
        stop("a plain value must not begin with this character");
      case '?':
        if (is_blank(peek(1)) || is_break(peek(1))) stop("a key must be plain text");
        break;
      default:
        break;
    }
  }

  /// Up to the end of the line, and lines that are indented more than `parent`: joined by blanks.
  std::string plain_text(int parent) {
    refuse_marks();
    std::string text = plain_line(false);
    while (true) {
      const std::size_t end = at_;
      const bool comment_ended = !at_end() && !is_break(peek());
      if (comment_ended || !end_line()) break;
      skip_blanks();
      const bool blank = at_end() || is_break(peek());
      if (blank || peek() == '#' || column() <= parent || at_document_mark()) {
        at_ = end;
        break;
      }
      text += ' ';
      text += plain_line(false);
    }
    return text;
  }

  /// A plain scalar's part on this line.
  std::string plain_line(bool in_flow) {
    const std::size_t begin = at_;
    std::size_t end = at_;
    for (; !at_end() && !is_break(peek()); ++at_) {
      if (peek() == '#' && at_ > begin && is_blank(text_[at_ - 1])) break;
      if (in_flow && is_flow_mark(peek())) break;
      if (at_colon(in_flow)) {
        if (in_flow) break;
        stop("a second colon in a plain value: quote it");
      }
      if (!is_blank(peek())) end = at_ + 1;
    }
    at_ = end;
    return std::string(text_.substr(begin, end - begin));
  }

  std::string key_text(bool in_flow) {
    std::string key;
    if (peek() == '"' || peek() == '\'') {
      key = quoted_text();
    } else {
      refuse_marks();
      const std::size_t begin = at_;
      while (!at_end() && !is_break(peek()) && !at_colon(in_flow)) ++at_;
      std::size_t end = at_;
      while (end > begin && is_blank(text_[end - 1])) --end;
      key = text_.substr(begin, end - begin);
      if (key.empty() || key == "~") key = "null";
    }
    skip_blanks();
    ++at_;  // the colon
    return key;
  }

  void add(Json& members, std::string key, std::size_t place_of_key, Json value) {
    if (members.contains(key)) {
      if (repeated_ == nullptr) {
        at_ = place_of_key;
        stop(fmt::format("the key {} appears twice in one mapping", in_quotes(key)));
      }
      repeated_->push_back(fmt::format("{}: {}", place(place_of_key), key));
    }
    members[std::move(key)] = std::move(value);
  }

  void skip_in_flow() {
    if (!at_content()) stop("a collection does not end");
  }

  Json flow() {
    const Deeper scope(*this);
    count();
    const bool is_list = peek() == '[';
    const char last = is_list ? ']' : '}';
    Json all = is_list ? Json::array() : Json::object();
    ++at_;
    while (true) {
      skip_in_flow();
      if (peek() == last) break;
      if (is_list) {
        all.push_back(flow_value());
      } else {
        flow_member(all);
      }
      skip_in_flow();
      if (peek() == last) break;
      if (peek() != ',') stop(fmt::format("',' or '{}' must follow", last));
      ++at_;
    }
    ++at_;
    return all;
  }

  void flow_member(Json& all) {
    const std::size_t place_of_key = at_;
    const bool quoted = peek() == '"' || peek() == '\'';
    std::string key = quoted ? quoted_text() : (refuse_marks(), plain_line(true));
    if (!quoted && (key.empty() || key == "~")) key = "null";
    skip_in_flow();
    Json value = nullptr;
    if (peek() == ':' && (quoted || at_colon(true))) {
      ++at_;
      skip_in_flow();
      if (peek() == ',' || peek() == '}')
        count();
      else
        value = flow_value();
    } else {
      count();
    }
    add(all, std::move(key), place_of_key, std::move(value));
  }

  Json flow_value() {
    if (peek() == '[' || peek() == '{') return flow();
    count();
    Json value;
    if (peek() == '"' || peek() == '\'') {
      value = quoted_text();
    } else {
      refuse_marks();
      std::string text = plain_line(true);
      if (text.empty()) stop("a value is missing");
      for (skip_in_flow(); !is_flow_mark(peek()) && !at_colon(true); skip_in_flow())
        (text += ' ') += plain_line(true);
      value = typed_scalar(text);
    }
    skip_in_flow();
    if (peek() == ':') stop("a pair in a list: use {key: value}");
    return value;
  }

  /// A line break in quotes: blanks around it go; alone it is a blank, before empty lines nothing.
  void fold(std::string& text, std::size_t kept) {
    while (text.size() > kept && is_blank(text.back())) text.pop_back();
    std::size_t breaks = 0;
    for (; !at_end() && (is_blank(peek()) || is_break(peek())); ++at_) breaks += peek() == '\n';
    if (breaks <= 1)  // 0: carriage returns alone
      text += ' ';
    else
      text.append(breaks - 1, '\n');
  }

  std::string quoted_text() {
    const char quote = peek();
    const std::size_t begin = at_++;
    std::string text;
    std::size_t kept = 0;  // characters of escapes are never taken away
    while (true) {
      if (at_end()) {
        at_ = begin;
        stop("a quoted text does not end");
      }
      const char c = peek();
      if (c == quote && quote == '\'' && peek(1) == quote) {
        text += quote;
        at_ += 2;
      } else if (c == quote) {
        ++at_;
        return text;
      } else if (is_break(c)) {
        fold(text, kept);
      } else if (c == '\\' && quote == '"') {
        ++at_;
        escape(text);
        kept = text.size();
      } else {
        text += c;
        ++at_;
      }
    }
  }

  void escape(std::string& text) {
    constexpr std::string_view kNames = "0abtnvfre\"/\\ \t";
    constexpr std::string_view kMeanings("\0\a\b\t\n\v\f\r\x1b\"/\\ \t", 14);
    const char c = peek();
    if (const std::size_t found = kNames.find(c); found != std::string_view::npos && !at_end()) {
      text += kMeanings[found];
      ++at_;
      return;
    }
    if (is_break(c)) {
      while (!at_end() && (is_blank(peek()) || is_break(peek()))) ++at_;
      return;
    }
    const int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits == 0) stop("an unknown escape sequence");
    ++at_;
    std::uint32_t code = hexadecimal(digits);
    if (code >= 0xd800 && code < 0xdc00 && starts("\\u")) {  // a pair, as JSON writes it
      at_ += 2;
      code = 0x10000 + ((code - 0xd800) << 10) + (hexadecimal(4) - 0xdc00);
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) stop("not a character");
    append_utf8(text, code);
  }

  std::uint32_t hexadecimal(int digits) {
    std::uint32_t code = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const std::size_t digit = kDigits.find(static_cast<char>(peek() | 0x20));
      if (digit == std::string_view::npos || peek() < '0') stop("not a hexadecimal number");
      code = code << 4 | static_cast<std::uint32_t>(digit);
    }
    return code;
  }

  std::string_view text_;
  const std::string& where_;
  std::vector<std::string>* repeated_;
  std::size_t at_ = 0;
  std::uint64_t values_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Json> parse_plain_yaml(std::string_view text, const std::string& where,
                              std::vector<std::string>* repeated) {
  if (text.size() > limits::kConfigBytes)
    return fail(Errc::limit_exceeded, where, "larger than the limit for a configuration");
  std::size_t bad = 0;
  if (!is_utf8(text, bad))
    return fail(Errc::config_syntax, fmt::format("{}:byte {}", where, bad), "not UTF-8 text");
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    return fail(Errc::config_syntax, fmt::format("{}:byte {}", where, zero),
                "a zero byte: not a text file");
  try {
    return Reader(text, where, repeated).document();
  } catch (const Refusal& refusal) {
    return tl::unexpected(refusal.error);
  }
}

}  // namespace orrery::config
