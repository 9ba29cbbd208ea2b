// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace orrery::sim {

/// Loads the cache lines of the `bytes` from `first` on into the cache, without waiting for them.
/// Has no effect on results: the address can even be invalid.
template <std::size_t bytes = 1>
inline void prefetch_lines(const void* first) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < bytes; at += kLine)
    __builtin_prefetch(static_cast<const char*>(first) + at, 1);
  // GCC removes calls of functions that only prefetch, because it finds no effect.
  asm volatile("" : : "r"(first));
}

}  // namespace orrery::sim
