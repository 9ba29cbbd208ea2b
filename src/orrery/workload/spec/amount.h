// SPDX-License-Identifier: Apache-2.0
//
// Saturating counts: a value that overflows stays too large, and a later check rejects it.
#pragma once

#include <cstdint>
#include <limits>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// A count of FLOPs, bytes, elements or tokens; never negative. A result that overflows 64 bits
/// becomes `too_large` and stays so in later arithmetic.
class Amount {
 public:
  constexpr Amount() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): numbers are amounts
  constexpr Amount(std::int64_t value) : value_(value) {}

  static constexpr std::int64_t too_large = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] constexpr std::int64_t value() const { return value_; }

  friend constexpr Amount operator+(Amount a, Amount b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a.value_, b.value_, &sum) ? Amount(too_large) : Amount(sum);
  }
  friend constexpr Amount operator*(Amount a, Amount b) {
    if (a.value_ == 0 || b.value_ == 0) return 0;
    std::int64_t product = 0;
    return __builtin_mul_overflow(a.value_, b.value_, &product) ? Amount(too_large)
                                                                : Amount(product);
  }
  /// Saturates at 0. `too_large` stays `too_large`.
  friend constexpr Amount operator-(Amount a, Amount b) {
    if (a.value_ == too_large) return a;
    return a.value_ > b.value_ ? Amount(a.value_ - b.value_) : Amount(0);
  }
  /// Rounds down. `too_large` stays `too_large`.
  friend constexpr Amount operator/(Amount a, std::int64_t b) {
    return a.value_ == too_large ? a : Amount(a.value_ / b);
  }
  constexpr Amount& operator+=(Amount other) { return *this = *this + other; }
  friend constexpr bool operator==(Amount a, Amount b) { return a.value_ == b.value_; }
  friend constexpr bool operator<(Amount a, Amount b) { return a.value_ < b.value_; }

 private:
  std::int64_t value_ = 0;
};

/// a / b, rounded up.
[[nodiscard]] constexpr Amount ceil_div(Amount a, std::int64_t b) { return (a + (b - 1)) / b; }

/// Bytes of `elements` in `type`; half bytes are rounded up.
[[nodiscard]] constexpr Amount bytes(Amount elements, Dtype type) {
  return ceil_div(elements * static_cast<std::int64_t>(2 * bytes_of(type)), 2);
}

}  // namespace orrery::workload
