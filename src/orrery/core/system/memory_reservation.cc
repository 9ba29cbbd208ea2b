// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/memory_reservation.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "orrery/core/system/memory_limit.h"

namespace orrery {

namespace {

struct Reserved {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::thread::id thread;
};

/// The reservations of this process.
struct Reservations {
  std::mutex mutex;
  std::condition_variable released;
  std::vector<Reserved> all;
  std::uint64_t last = 0;
  std::uint64_t without_any = 0;  ///< available memory when there was no reservation
};

Reservations& reservations() {
  static Reservations one;
  return one;
}

}  // namespace

MemoryReservation::MemoryReservation(MemoryReservation&& other) noexcept
    : number_(std::exchange(other.number_, 0)) {}

MemoryReservation& MemoryReservation::operator=(MemoryReservation&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

MemoryReservation::~MemoryReservation() {
  if (number_ == 0) return;
  Reservations& held = reservations();
  {
    const std::scoped_lock lock(held.mutex);
    std::erase_if(held.all, [&](const Reserved& one) { return one.number == number_; });
  }
  held.released.notify_all();
}

// How much of a reservation is allocated already is not known. So the free memory is the available
// memory, but at most what was available without reservations, minus all of them.
std::optional<MemoryReservation> MemoryReservation::reserve(std::uint64_t bytes) {
  Reservations& held = reservations();
  const std::thread::id self = std::this_thread::get_id();
  std::unique_lock lock(held.mutex);
  for (;;) {
    const std::uint64_t available = available_memory();
    if (held.all.empty()) held.without_any = available;
    if (bytes > held.without_any) return std::nullopt;
    std::uint64_t others = 0;
    bool waits = true;
    for (const Reserved& one : held.all) {
      if (one.thread == self)
        waits = false;
      else
        others += one.bytes;
    }
    const std::uint64_t left = held.without_any - std::min(others, held.without_any);
    if (bytes <= std::min(available, left)) break;
    if (!waits || others == 0) return std::nullopt;
    held.released.wait(lock);
  }
  held.all.push_back({++held.last, bytes, self});
  return MemoryReservation(held.last);
}

}  // namespace orrery
