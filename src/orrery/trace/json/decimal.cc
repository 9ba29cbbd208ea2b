// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/decimal.h"

#include <algorithm>
#include <limits>

namespace orrery::trace::json {
namespace {

__extension__ using Wide = __int128;

constexpr Wide kWideMax = static_cast<Wide>((~static_cast<unsigned __int128>(0)) >> 1);
constexpr int kKeptDigits = 36;        // a Wide holds 38 digits
constexpr std::int64_t kFar = 10'000;  // larger exponents are equivalent: out of range, or zero

/// A number in the form digits × 10^exponent.
struct Scientific {
  Wide digits = 0;
  std::int64_t exponent = 0;
  bool negative = false;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads the digits up to a point, an exponent or the end. Digits that do not fit are only counted.
const char* take_digits(const char* at, const char* end, bool fraction, int& retained,
                        Scientific& out) {
  for (; at != end && is_digit(*at); ++at) {
    if (retained < kKeptDigits) {
      out.digits = out.digits * 10 + (*at - '0');
      retained += out.digits != 0 ? 1 : 0;
      out.exponent -= fraction ? 1 : 0;
    } else if (!fraction) {
      ++out.exponent;
    }
  }
  return at;
}

std::optional<Scientific> parse(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  const auto space = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  Scientific out;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at != end && (*at == '-' || *at == '+')) out.negative = *at++ == '-';
  int retained = 0;
  const char* const whole = at;
  at = take_digits(at, end, false, retained, out);
  bool any = at != whole;
  if (at != end && *at == '.') {
    const char* const part = ++at;
    at = take_digits(at, end, true, retained, out);
    any = any || at != part;
  }
  if (!any) return std::nullopt;
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    bool down = false;
    if (at != end && (*at == '-' || *at == '+')) down = *at++ == '-';
    if (at == end) return std::nullopt;
    std::int64_t exponent = 0;
    for (; at != end && is_digit(*at); ++at)
      if (exponent < kFar) exponent = exponent * 10 + (*at - '0');
    out.exponent += down ? -exponent : exponent;
  }
  if (at != end) return std::nullopt;
  return out;
}

/// The number in units of 10^-`digits`; smaller parts are truncated.
std::optional<Wide> scaled(std::string_view text, int digits) {
  const auto number = parse(text);
  if (!number) return std::nullopt;
  Wide value = number->digits;
  std::int64_t shift = number->exponent + digits;
  for (; shift < 0 && value != 0; ++shift) value /= 10;
  for (; shift > 0 && value != 0; --shift) {
    if (value > kWideMax / 10) return std::nullopt;
    value *= 10;
  }
  return number->negative ? -value : value;
}

std::optional<std::int64_t> narrow(Wide value) {
  if (value < std::numeric_limits<std::int64_t>::min() ||
      value > std::numeric_limits<std::int64_t>::max())
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

constexpr std::int64_t kPowers[] = {
    1,         10,         100,         1'000,         10'000,        100'000,
    1'000'000, 10'000'000, 100'000'000, 1'000'000'000, 10'000'000'000};
constexpr int kMaxDigits = 10;  // limit of the table of powers

/// Fast path for nearly all numbers: at most 19 digits, optionally with a point. The result is in
/// units of 10^-`digits`.
bool plain(std::string_view text, int digits, Wide& value) {
  if (text.empty() || text.size() > 20 || digits > kMaxDigits) return false;
  std::uint64_t number = 0;
  int rest = digits;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i)
    number = number * 10 + static_cast<std::uint64_t>(text[i] - '0');
  if (i == 0 || i > 19) return false;
  if (i < text.size()) {
    if (text[i] != '.') return false;
    for (++i; i < text.size() && is_digit(text[i]) && rest > 0; ++i, --rest)
      number = number * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  if (i != text.size()) return false;
  value = static_cast<Wide>(number) * kPowers[rest];
  return true;
}

}  // namespace

std::optional<std::int64_t> fixed_point(std::string_view text, int digits) {
  Wide quick = 0;
  if (plain(text, digits, quick)) return narrow(quick);
  const auto value = scaled(text, digits);
  return value ? narrow(*value) : std::nullopt;
}

std::optional<std::int64_t> fixed_point_since(std::string_view text, int digits,
                                              std::int64_t origin, int origin_digits) {
  Wide since = origin;
  int more = digits - origin_digits;
  for (; more > 0; more -= std::min(more, kMaxDigits)) {
    if (since > kWideMax / kPowers[kMaxDigits] || since < -(kWideMax / kPowers[kMaxDigits]))
      return std::nullopt;
    since *= kPowers[std::min(more, kMaxDigits)];
  }
  for (; more < 0; ++more) since /= 10;
  Wide value = 0;
  if (!plain(text, digits, value)) {
    const auto slow = scaled(text, digits);
    if (!slow) return std::nullopt;
    value = *slow;
  }
  Wide difference = 0;
  if (__builtin_sub_overflow(value, since, &difference)) return std::nullopt;
  return narrow(difference);
}

}  // namespace orrery::trace::json
