// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/importers/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "orrery/core/text/text.h"

namespace orrery::workload {

using config::Json;

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostLevels = 16;

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

class TomlReader {
 public:
  TomlReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Result<Json> read() {
    Json root = Json::object();
    Json* table = &root;
    for (;;) {
      skip_lines();
      if (at_ == text_.size()) return root;
      if (text_[at_] == '[') {
        auto path = read_header();
        if (!path) return tl::unexpected(path.error());
        auto found = descend(root, *path);
        if (!found) return tl::unexpected(found.error());
        table = *found;
      } else if (auto done = read_pair(*table); !done) {
        return tl::unexpected(done.error());
      }
      if (auto done = end_line(); !done) return tl::unexpected(done.error());
    }
  }

 private:
  using Path = std::vector<std::string>;

  [[nodiscard]] tl::unexpected<Error> wrong(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n');
    return fail(Errc::config_syntax, fmt::format("{}:{}", where_, line), what,
                "write TOML with tables, strings, numbers, booleans and arrays of these");
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (peek() == '#')
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    if (peek() == '\r') ++at_;
  }
  /// Skips spaces, comments and line ends.
  void skip_lines() {
    for (skip_spaces(); at_ < text_.size() && text_[at_] == '\n'; skip_spaces()) ++at_;
  }
  Result<void> end_line() {
    skip_spaces();
    if (peek() != '\n') return wrong(fmt::format("has '{}' after a value", peek()));
    return {};
  }

  Result<Path> read_key() {
    Path path;
    for (;;) {
      skip_spaces();
      std::string part;
      if (peek() == '"' || peek() == '\'') {
        auto quoted = read_string();
        if (!quoted) return tl::unexpected(quoted.error());
        part = *std::move(quoted);
      } else {
        while (at_ < text_.size() && is_bare(text_[at_])) part += text_[at_++];
        if (part.empty()) return wrong("has no key");
      }
      path.push_back(std::move(part));
      skip_spaces();
      if (peek() != '.') return path;
      ++at_;
      if (path.size() == kMostLevels)
        return fail(Errc::limit_exceeded, where_,
                    fmt::format("has more than {} levels", kMostLevels));
    }
  }
  Result<Path> read_header() {
    ++at_;
    if (peek() == '[') return wrong("has an array of tables");
    auto path = read_key();
    if (!path) return path;
    if (peek() != ']') return wrong("has a table without ]");
    ++at_;
    return path;
  }
  Result<Json*> descend(Json& from, const Path& path) const {
    Json* table = &from;
    for (const std::string& key : path) {
      Json& next = (*table)[key];
      if (next.is_null()) next = Json::object();
      if (!next.is_object()) return wrong(in_quotes(key) + " is a value, not a table");
      table = &next;
    }
    return table;
  }
  Result<void> read_pair(Json& table) {
    auto path = read_key();
    if (!path) return tl::unexpected(path.error());
    if (peek() != '=') return wrong(in_quotes(path->back()) + " has no value");
    ++at_;
    const std::string last = std::move(path->back());
    path->pop_back();
    auto inner = descend(table, *path);
    if (!inner) return tl::unexpected(inner.error());
    if ((*inner)->contains(last)) return wrong(in_quotes(last) + " is given twice");
    auto value = read_value(0);
    if (!value) return tl::unexpected(value.error());
    (**inner)[last] = *std::move(value);
    return {};
  }

  Result<std::string> read_string() {
    const char quote = text_[at_++];
    std::string made;
    for (; peek() != quote; ++at_) {
      if (peek() == '\n') return wrong("has a string without an end");
      if (quote == '"' && peek() == '\\') {
        ++at_;
        const std::string_view known = "\"\\nt", meant = "\"\\\n\t";
        const std::size_t found = known.find(peek());
        if (found == std::string_view::npos) return wrong("has an unknown escape");
        made += meant[found];
      } else {
        made += peek();
      }
    }
    ++at_;
    return made;
  }
  Result<Json> read_array(std::size_t level) {
    if (level == kMostLevels)
      return fail(Errc::limit_exceeded, where_,
                  fmt::format("has more than {} levels", kMostLevels));
    Json made = Json::array();
    ++at_;
    for (;;) {
      skip_lines();
      if (peek() == ']') break;
      auto value = read_value(level + 1);
      if (!value) return value;
      made.push_back(*std::move(value));
      skip_lines();
      if (peek() == ',') {
        ++at_;
      } else if (peek() != ']') {
        return wrong("has an array without ]");
      }
    }
    ++at_;
    return made;
  }
  Result<Json> read_value(std::size_t level) {
    skip_spaces();
    if (peek() == '[') return read_array(level);
    if (peek() == '"' || peek() == '\'') {
      auto made = read_string();
      if (!made) return tl::unexpected(made.error());
      return Json(*std::move(made));
    }
    std::string word;
    while (at_ < text_.size() && (is_bare(text_[at_]) || text_[at_] == '.' || text_[at_] == '+'))
      word += text_[at_++];
    if (word == "true" || word == "false") return Json(word == "true");
    std::erase(word, '_');
    const char* const first = word.data() + (word.rfind('+', 0) == 0 ? 1 : 0);
    const char* const last = word.data() + word.size();
    std::int64_t whole = 0;
    if (const auto [end, error] = std::from_chars(first, last, whole);
        error == std::errc() && end == last)
      return Json(whole);
    double real = 0;
    if (const auto [end, error] = std::from_chars(first, last, real);
        error == std::errc() && end == last)
      return Json(real);
    return wrong(word.empty() ? "has no value" : in_quotes(word) + " is not a value");
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> parse_toml(std::string_view text, const std::string& where) {
  if (text.size() > kMostBytes)
    return fail(Errc::limit_exceeded, where, fmt::format("has more than {} bytes", kMostBytes));
  return TomlReader(text, where).read();
}

}  // namespace orrery::workload
