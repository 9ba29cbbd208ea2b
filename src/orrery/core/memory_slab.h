// SPDX-License-Identifier: Apache-2.0
//
// A block of uninitialized memory that may be large.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace orrery {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
/// Owns its bytes, which are aligned for every type.
using MemorySlab = std::unique_ptr<std::byte, FreeMemory>;

/// Allocates `bytes`, not 0. From 2 MiB, the memory has large pages where the system offers them
/// (madvise, MADV_HUGEPAGE): reading a large recording then has fewer page faults. Throws
/// std::bad_alloc.
[[nodiscard]] MemorySlab allocate_slab(std::size_t bytes);

}  // namespace orrery
