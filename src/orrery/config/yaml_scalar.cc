// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/yaml_scalar.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "orrery/config/json.h"

namespace orrery::config {
namespace {

/// Whether all of `text` is a number. `base`: of an integer, if not 10.
template <class Number, class... Base>
bool whole_text(std::string_view text, Number& number, Base... base) {
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number, base...);
  return status == std::errc() && stop == end;
}

}  // namespace

Json typed_scalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  std::string_view digits = text;
  std::uint64_t natural = 0;
  if (digits.starts_with("0x") && whole_text(digits.substr(2), natural, 16)) return natural;
  if (digits.starts_with("0o") && whole_text(digits.substr(2), natural, 8)) return natural;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const std::string_view unsigned_digits = digits.starts_with('-') ? digits.substr(1) : digits;
  if (unsigned_digits.empty()) return text;
  const char first = unsigned_digits.front();
  if (!((first >= '0' && first <= '9') || first == '.')) return text;
  std::int64_t integer = 0;
  if (whole_text(digits, integer)) return integer;
  if (whole_text(digits, natural)) return natural;
  double real = 0;
  if (whole_text(digits, real) && std::isfinite(real)) return real;
  return text;
}

}  // namespace orrery::config
