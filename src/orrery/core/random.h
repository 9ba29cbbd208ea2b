// SPDX-License-Identifier: Apache-2.0
//
// Random numbers by what they are for: the same for the same words, on any machine, whatever was
// drawn before.
#pragma once

#include <cstdint>

namespace orrery {

/// 64 bits that say nothing of what they were made from (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014, figure 16: splitmix64's finalizer).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Evenly between 0 and 1, neither of which it is.
[[nodiscard]] constexpr double evenly(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

}  // namespace orrery
