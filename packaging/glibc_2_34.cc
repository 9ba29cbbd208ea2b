// SPDX-License-Identifier: Apache-2.0
//
// Portable programs run from glibc 2.34 on. Debian 12's archives of the C++ and the C library's
// unwinder ask for two functions of newer ones, and <cmath> for a newer version of one. Here they
// are, on top of what 2.34 has; only this program sees them.
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#define ORRERY_HIDDEN __attribute__((visibility("hidden")))

// glibc 2.36; called by std::random_device.
extern "C" ORRERY_HIDDEN std::uint32_t arc4random() {
  std::uint32_t value = 0;
  // Up to 256 bytes come at once or not at all, but for a signal that comes first. arc4random() has
  // no way to report an error.
  while (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value))
    if (errno != EINTR) std::abort();
  return value;
}

// glibc 2.35 has a second version of hypot(), which computes the same and does not set errno.
extern "C" double orrery_older_hypot(double x, double y);
__asm__(".symver orrery_older_hypot, hypot@GLIBC_2.2.5");
extern "C" ORRERY_HIDDEN double hypot(double x, double y) noexcept {
  return orrery_older_hypot(x, y);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
namespace {

struct Search {
  std::uintptr_t address;
  dl_find_object* found;
};

/// Fills in `found` and returns 1 where the object holds the address and has unwind tables.
int visit(dl_phdr_info* object, std::size_t, void* data) {
  const Search& search = *static_cast<const Search*>(data);
  std::uintptr_t begin = UINTPTR_MAX, end = 0, tables = 0;
  bool inside = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uintptr_t first = object->dlpi_addr + part.p_vaddr, last = first + part.p_memsz;
    if (part.p_type == PT_GNU_EH_FRAME) tables = first;
    if (part.p_type != PT_LOAD) continue;
    if (first < begin) begin = first;
    if (last > end) end = last;
    inside = inside || (search.address >= first && search.address < last);
  }
  if (!inside || tables == 0) return 0;
  *search.found = {};
  search.found->dlfo_map_start = reinterpret_cast<void*>(begin);
  search.found->dlfo_map_end = reinterpret_cast<void*>(end);
  search.found->dlfo_eh_frame = reinterpret_cast<void*>(tables);
  return 1;
}

}  // namespace

// glibc 2.35; called by the unwinder for each frame of an exception. It reads these three fields.
extern "C" ORRERY_HIDDEN int _dl_find_object(void* address, dl_find_object* found) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), found};
  return ::dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}
#endif
