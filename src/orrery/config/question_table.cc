// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/question_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/units.h"

namespace orrery::config {

std::string field_text(std::int64_t value) { return fmt::format("{}", value); }
std::string field_text(std::uint64_t value) { return fmt::format("{}", value); }
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
  const auto number = parse_number(text, std::string(where));
  if (!number) return tl::unexpected(number.error());
  out = *number;
  return {};
}

Result<void> set_field(const std::string& text, std::string_view where, Bytes& out) {
  const auto size = parse_bytes(text, std::string(where));
  if (!size) return tl::unexpected(size.error());
  out = *size;
  return {};
}

Result<void> set_field(const std::string& text, std::string_view where, Time& out) {
  const auto time = parse_time(text, std::string(where));
  if (!time) return tl::unexpected(time.error());
  out = *time;
  return {};
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
