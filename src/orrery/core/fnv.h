// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery {

/// FNV-1a, 64 bits: a hash of a few bytes or words, identical on all machines. Not cryptographic:
/// collisions are easy to construct. Source: Fowler, Noll, Vo, Eastlake; RFC 9923.
inline constexpr std::uint64_t kFnvOffsetBasis = 0xcbf29ce484222325;

/// Extends `hash` by `next`.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::uint64_t hash, std::uint64_t next) {
  return (hash ^ next) * 0x100000001b3;
}

[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = kFnvOffsetBasis;
  for (const char byte : bytes) hash = fnv1a(hash, static_cast<unsigned char>(byte));
  return hash;
}

}  // namespace orrery
