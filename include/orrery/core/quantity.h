// SPDX-License-Identifier: Apache-2.0
//
// Numbers with units. Time is an integer number of picoseconds, so that sums and comparisons are
// exact and the order of events is reproducible.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>

namespace orrery {

/// A number with a unit. Same-unit arithmetic only; mixing units needs a named operation.
template <class Unit, class Rep_>
class Quantity {
 public:
  using Rep = Rep_;
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep count) : count_(count) {}

  /// The number in the base unit (ps, bytes, bytes/s, FLOP/s).
  [[nodiscard]] constexpr Rep count() const { return count_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.count_ + b.count_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.count_ - b.count_);
  }
  friend constexpr Quantity operator*(Quantity a, Rep factor) {
    return Quantity(a.count_ * factor);
  }
  friend constexpr Quantity operator*(Rep factor, Quantity a) {
    return Quantity(a.count_ * factor);
  }

 private:
  Rep count_{};
};

using Time = Quantity<struct TimeUnit, std::int64_t>;      ///< picoseconds; range ±106 days
using Bytes = Quantity<struct BytesUnit, std::int64_t>;    ///< bytes, never bits
using Bandwidth = Quantity<struct BandwidthUnit, double>;  ///< bytes per second
using FlopRate = Quantity<struct FlopRateUnit, double>;    ///< floating-point operations per second

inline constexpr std::int64_t kPsPerNs = 1'000;
inline constexpr std::int64_t kPsPerUs = 1'000'000;
inline constexpr std::int64_t kPsPerSecond = 1'000'000'000'000;
inline constexpr Time kTimeMax{std::numeric_limits<std::int64_t>::max()};

[[nodiscard]] constexpr Time ps(std::int64_t n) { return Time(n); }
[[nodiscard]] constexpr Time ns(std::int64_t n) { return Time(n * kPsPerNs); }
[[nodiscard]] constexpr Time us(std::int64_t n) { return Time(n * kPsPerUs); }

/// `a + b * times`, clamped to the range of Time: for sums over up to millions of ranks.
[[nodiscard]] constexpr Time saturating_sum(Time a, Time b, std::int64_t times = 1) {
  std::int64_t product = 0, sum = 0;
  const bool negative = (b.count() < 0) != (times < 0);
  if (__builtin_mul_overflow(b.count(), times, &product) ||
      __builtin_add_overflow(a.count(), product, &sum))
    return negative ? Time(std::numeric_limits<std::int64_t>::min()) : kTimeMax;
  return Time(sum);
}

/// `t` in seconds, for reports and rates only (a double).
[[nodiscard]] constexpr double seconds(Time t) { return static_cast<double>(t.count()) * 1e-12; }

/// The time to transfer `size` at `rate`, rounded up to a picosecond. Empty if `rate` is not
/// positive and finite, `size` is negative, or the result exceeds the range of Time.
[[nodiscard]] std::optional<Time> transfer_time(Bytes size, Bandwidth rate);

}  // namespace orrery
