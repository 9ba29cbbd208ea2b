// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace orrery::trace::json {

/// The number that the complete text is; empty for other text and for numbers that do not fit.
template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && stop == text.data() + text.size() ? std::optional(number)
                                                                   : std::nullopt;
}

/// Parses a decimal number as an integer in units of 10^-`digits`: "12.34" with 6 digits is
/// 12340000. Truncates further digits. Accepts a sign, an exponent, and quotes around the number.
/// Empty for other text and for numbers that do not fit 64 bits (nan, inf, 1e308). Does not convert
/// to double: "4458676522690.655" µs keeps its last digit.
[[nodiscard]] std::optional<std::int64_t> fixed_point(std::string_view text, int digits);

/// Parses a number and subtracts `origin`, which is in 10^-`origin_digits`. The result is in
/// 10^-`digits`. For values that fit 64 bits only after the subtraction: picoseconds since an epoch
/// in microseconds.
[[nodiscard]] std::optional<std::int64_t> fixed_point_since(std::string_view text, int digits,
                                                            std::int64_t origin, int origin_digits);

}  // namespace orrery::trace::json
