// SPDX-License-Identifier: Apache-2.0
//
// Random numbers keyed by purpose: the same key gives the same number on any machine, independent
// of earlier samples.
#pragma once

#include <cstdint>

namespace orrery {

/// Mixes the bits of `x`: similar inputs give unrelated outputs (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014, figure 16: splitmix64's finalizer).
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A number strictly between 0 and 1, uniform if `bits` are.
[[nodiscard]] constexpr double uniform_double(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

}  // namespace orrery
