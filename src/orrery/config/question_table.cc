// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/question_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/units.h"

namespace orrery::config {
namespace {

template <class T>
Result<void> store(const Result<T>& value, T& out) {
  if (!value) return tl::unexpected(value.error());
  out = *value;
  return {};
}

}  // namespace

std::string field_text(double value) { return fmt::format("{}", value); }

Result<void> set_field(const std::string& text, std::string_view, std::string& out) {
  out = text;
  return {};
}

Result<void> set_field(const std::string& text, std::string_view where, bool& out) {
  if (auto known = one_of(where, text, {"true", "false"}); !known) return known;
  out = text == "true";
  return {};
}

Result<void> set_field(const std::string& text, std::string_view where, double& out) {
  return store(parse_number(text, std::string(where)), out);
}

Result<void> set_field(const std::string& text, std::string_view where, Bytes& out) {
  return store(parse_bytes(text, std::string(where)), out);
}

Result<void> set_field(const std::string& text, std::string_view where, Time& out) {
  return store(parse_time(text, std::string(where)), out);
}

Result<void> set_enum_name(const std::string& text, std::string_view where,
                           const std::vector<std::string_view>& words, std::size_t& place) {
  if (auto known = one_of(where, text, words); !known) return known;
  place = static_cast<std::size_t>(std::find(words.begin(), words.end(), text) - words.begin());
  return {};
}

Result<std::int64_t> whole_number(const std::string& text, std::string_view where) {
  return parse_integer(text, std::string(where));
}

}  // namespace orrery::config
