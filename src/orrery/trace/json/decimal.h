// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::trace::json {

/// A decimal number's text as an integer in units of 10^-`digits`: "12.34" with 6 digits is
/// 12340000. Digits beyond are cut off. Accepts a sign, an exponent, and quotes around it. Empty
/// for everything else and for what does not fit 64 bits (nan, inf, 1e308). No double on the way:
/// "4458676522690.655" µs keeps its last digit.
[[nodiscard]] std::optional<std::int64_t> fixed_point(std::string_view text, int digits);

/// The same relative to `origin`, in 10^-`digits`, for values that only fit once it is subtracted:
/// picoseconds since an epoch in microseconds. `origin` is in 10^-`origin_digits`.
[[nodiscard]] std::optional<std::int64_t> fixed_point_since(std::string_view text, int digits,
                                                            std::int64_t origin, int origin_digits);

}  // namespace orrery::trace::json
