// SPDX-License-Identifier: Apache-2.0
//
// Logarithms and powers that are identical on all machines and with all compilers: they use only
// sums and products of doubles. For values that are compared with thresholds or appear in results.
#pragma once

#include <bit>
#include <cstdint>

namespace orrery {

/// The binary logarithm; error about 1e-15. `x` must be a normal number above 0.
[[nodiscard]] inline double exact_log2(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  // ln(m) = 2 (s + s^3/3 + s^5/5 + …) with s = (m - 1) / (m + 1), |s| < 0.172.
  const double s = (mantissa - 1) / (mantissa + 1), q = s * s;
  double sum = 1.0 / 21;
  for (int n = 19; n >= 1; n -= 2) sum = sum * q + 1.0 / n;
  return static_cast<double>(exponent) + 2.8853900817779268 * s * sum;
}

/// 2 to the power of `x`; relative error about 1e-15. `x` is clamped to [-1000, 1000].
[[nodiscard]] inline double exact_exp2(double x) {
  if (!(x > -1000)) x = -1000;
  if (x > 1000) x = 1000;
  const auto whole = static_cast<std::int64_t>(x < 0 ? x - 0.5 : x + 0.5);
  const double f = (x - static_cast<double>(whole)) * 0.6931471805599453;  // |f| < 0.35
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * f / n;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(whole + 1023) << 52);
}

/// The natural exponential and logarithm (of a normal number above 0); relative error about 1e-15.
[[nodiscard]] inline double exact_exp(double x) { return exact_exp2(x * 1.4426950408889634); }
[[nodiscard]] inline double exact_log(double x) { return exact_log2(x) * 0.6931471805599453; }

}  // namespace orrery
