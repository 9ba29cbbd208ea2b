// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/document.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <vector>

#include "orrery/config/json.h"
#include "orrery/core/limits.h"
#include "orrery/core/system/file_read_recorder.h"
#include "orrery/core/text/text.h"

namespace orrery::config {
namespace {

/// Line and column (from 1) of the byte at `offset`.
std::string line_and_column(std::string_view text, std::size_t offset) {
  std::size_t line = 1, start = 0;
  const std::size_t end = std::min(offset, text.size());
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] != '\n') continue;
    ++line;
    start = i + 1;
  }
  return fmt::format("{}:{}", line, end - start + 1);
}

/// Validates JSON without building a tree: finds the first error or exceeded limit.
class JsonCheck : public nlohmann::json_sax<Json> {
 public:
  JsonCheck(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return deeper();
  }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_object() override {
    keys_.pop_back();
    --depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    error = Error{Errc::config_syntax, where_,
                  fmt::format("the key {} appears twice in one object", in_quotes(name)),
                  "keep one of them"};
    return false;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& e) override {
    const std::string place =
        where_ + ":" + line_and_column(text_, position > 0 ? position - 1 : 0);
    if (e.id == 406) {
      error = Error{Errc::config_range, place,
                    fmt::format("the number {} is too large", in_quotes(token))};
      return false;
    }
    const bool at_end = position > text_.size() || token.empty() || token == "<EOF>";
    error = Error{Errc::config_syntax, place,
                  at_end ? "not JSON: the text ends unexpectedly"
                         : fmt::format("not JSON: unexpected {}", in_quotes(token))};
    return false;
  }

  std::optional<Error> error;

 private:
  bool deeper() {
    if (++depth_ <= limits::kConfigDepth) return value();
    error = Error{Errc::limit_exceeded, where_,
                  fmt::format("nested deeper than {} levels", limits::kConfigDepth)};
    return false;
  }
  bool value() {
    if (++values_ <= limits::kConfigNodes) return true;
    error = Error{Errc::limit_exceeded, where_,
                  fmt::format("more than {} values", limits::kConfigNodes)};
    return false;
  }

  std::string_view text_;
  const std::string& where_;
  std::vector<std::set<std::string>> keys_;
  int depth_ = 0;
  std::uint64_t values_ = 0;
};

}  // namespace

Result<std::string> read_text(const std::string& path, std::uint64_t maximum) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    return fail(Errc::config_not_found, path, "is a folder, not a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    record_file_read(path);
    return fail(Errc::config_not_found, path, "cannot open this file",
                "check the path and its permissions");
  }
  std::string text;
  char block[1 << 16];
  while (file.read(block, sizeof block) || file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > maximum) {
      return fail(Errc::limit_exceeded, path,
                  fmt::format("larger than {} MiB, the limit for a configuration", maximum >> 20));
    }
  }
  if (file.bad()) return fail(Errc::config_not_found, path, "reading this file failed");
  record_file_read(path, text);
  return text;
}

Result<Json> parse_json(std::string_view text, const std::string& where) {
  if (text.size() > limits::kConfigBytes)
    return fail(Errc::limit_exceeded, where, "larger than the limit for a configuration");
  JsonCheck check(text, where);
  if (!Json::sax_parse(text, &check)) {
    if (check.error) return tl::unexpected(*check.error);
    return fail(Errc::config_syntax, where, "not JSON");
  }
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

std::string pointer(std::string_view parent, std::string_view key) {
  return std::string(parent) + pointer_step(printable(beginning(key, 80)));
}

std::string pointer(std::string_view parent, std::size_t index) {
  return fmt::format("{}/{}", parent, index);
}

std::string_view json_kind(const Json& value) {
  if (value.is_null()) return "nothing";
  if (value.is_object()) return "a mapping";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "text";
  if (value.is_boolean()) return "true or false";
  return value.is_number() ? "a number" : "something else";
}

}  // namespace orrery::config
