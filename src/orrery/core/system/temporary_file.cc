// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/temporary_file.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace orrery {

/// An entry of the list. Entries are reused but never freed, because a signal handler may be
/// reading the list.
struct TemporaryFile::Slot {
  /// The thread that changes `state` to `taken` owns the path.
  enum State : std::uint8_t { free, taken, known };

  std::atomic<State> state{taken};
  std::string path;
  Slot* next = nullptr;

  static std::atomic<Slot*> first;
  static_assert(std::atomic<State>::is_always_lock_free && std::atomic<Slot*>::is_always_lock_free);

  bool change(State from, State to) { return state.compare_exchange_strong(from, to); }
};

constinit std::atomic<TemporaryFile::Slot*> TemporaryFile::Slot::first{nullptr};

TemporaryFile::Slot* TemporaryFile::take() {
  for (Slot* slot = Slot::first.load(); slot != nullptr; slot = slot->next) {
    if (slot->change(Slot::free, Slot::taken)) return slot;
  }
  Slot* const slot = new Slot;
  slot->next = Slot::first.load();
  while (!Slot::first.compare_exchange_weak(slot->next, slot)) continue;
  return slot;
}

TemporaryFile::TemporaryFile(std::string path) : slot_(take()) {
  slot_->path = std::move(path);
  slot_->state = Slot::known;
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : slot_(std::exchange(other.slot_, nullptr)) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

const char* TemporaryFile::path() const { return slot_->path.c_str(); }

void TemporaryFile::remove() {
  if (slot_ != nullptr) (void)::unlink(slot_->path.c_str());
  release();
}

void TemporaryFile::release() {
  Slot* const slot = std::exchange(slot_, nullptr);
  if (slot == nullptr) return;
  // If it fails, remove_temporary_files() has taken the entry: the program is ending.
  if (slot->change(Slot::known, Slot::taken)) slot->state = Slot::free;
}

void remove_temporary_files() {
  using Slot = TemporaryFile::Slot;
  for (Slot* slot = Slot::first.load(); slot != nullptr; slot = slot->next) {
    if (slot->change(Slot::known, Slot::taken)) (void)::unlink(slot->path.c_str());
  }
}

}  // namespace orrery
