// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/memory_slab.h"

#include <sys/mman.h>

#include <new>

namespace orrery {

MemorySlab allocate_slab(std::size_t bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const bool large = bytes >= kLargePage;
  if (large) bytes = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* const memory = large ? std::aligned_alloc(kLargePage, bytes) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (large) (void)madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: systems may refuse it
#endif
  return MemorySlab(static_cast<std::byte*>(memory));
}

}  // namespace orrery
