// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/importers/toml.h"

#include <fmt/format.h>

// The header alone, without exceptions; nested values deeper than kMostLevels are errors.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include "orrery/core/text/text.h"

namespace orrery::workload {

using config::Json;

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostLevels = 16;

tl::unexpected<Error> too_deep(const std::string& where) {
  return fail(Errc::limit_exceeded, where, fmt::format("has more than {} levels", kMostLevels));
}

/// Whether a key has more parts than `kMostLevels`. The library limits nested values, but not keys:
/// a key of 10^5 parts would exhaust its stack. Counts dots since the last character that begins a
/// key, so a text of so many abbreviations on one line is refused, too.
bool has_long_key(std::string_view text) {
  std::size_t dots = 0;
  char before = '\n';
  for (const char c : text) {
    if (c == '.' && before != '.') {
      if (++dots > kMostLevels) return true;
    } else if (c == '.' || c == '\n' || c == '=' || c == ',' || c == '{' || c == '[') {
      dots = 0;
    }
    before = c;
  }
  return false;
}

std::string place(const std::string& where, const toml::source_region& source) {
  return fmt::format("{}:{}", where, source.begin.line);
}

Result<Json> to_json(const toml::node& node, const std::string& where, std::size_t level) {
  if (level > kMostLevels) return too_deep(where);
  if (const toml::table* table = node.as_table()) {
    Json made = Json::object();
    for (const auto& [key, value] : *table) {
      auto inner = to_json(value, where, level + 1);
      if (!inner) return inner;
      made[std::string(key.str())] = *std::move(inner);
    }
    return made;
  }
  if (const toml::array* array = node.as_array()) {
    Json made = Json::array();
    for (const toml::node& value : *array) {
      auto inner = to_json(value, where, level + 1);
      if (!inner) return inner;
      made.push_back(*std::move(inner));
    }
    return made;
  }
  if (const auto* text = node.as_string()) return Json(text->get());
  if (const auto* whole = node.as_integer()) return Json(whole->get());
  if (const auto* real = node.as_floating_point()) return Json(real->get());
  if (const auto* truth = node.as_boolean()) return Json(truth->get());
  return fail(Errc::config_syntax, place(where, node.source()), "has a date or a time",
              "write it as a string");
}

}  // namespace

Result<Json> parse_toml(std::string_view text, const std::string& where) {
  if (text.size() > kMostBytes)
    return fail(Errc::limit_exceeded, where, fmt::format("has more than {} bytes", kMostBytes));
  if (has_long_key(text)) return too_deep(where);
  const toml::parse_result file = toml::parse(text);
  if (!file)
    return fail(Errc::config_syntax, place(where, file.error().source()),
                printable(file.error().description()), "write TOML 1.0 (toml.io)");
  return to_json(file.table(), where, 0);
}

}  // namespace orrery::workload
