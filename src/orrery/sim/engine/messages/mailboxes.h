// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

#include "orrery/sim/engine/run/prefetch.h"
#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {

/// Mailboxes by message key: an open-addressing table with linear probing and a load of at most one
/// half. It is accessed twice per message; std::unordered_map allocates per entry and used a
/// quarter of the time of a point-to-point run. Results never depend on the order of entries.
class Mailboxes {
 public:
  struct Entry {
    MessageKey key{};
    Mailbox box;
    bool used = false;
  };

  Mailboxes() : entries_(kSmallest) {}

  /// The mailbox of `key`, created if there is none. Valid until the next call of `at` or `erase`.
  [[nodiscard]] Mailbox& at(const MessageKey& key) {
    if (count_ > mask() / 2) grow();
    Entry& entry = entries_[slot(key)];
    if (!entry.used) {
      entry.used = true;
      entry.key = key;
      entry.box = {};
      ++count_;
    }
    return entry.box;
  }

  /// Removes the mailbox of `key`, which must exist, and closes the gap it leaves.
  void erase(const MessageKey& key) {
    std::size_t gap = slot(key);
    --count_;
    for (std::size_t next = (gap + 1) & mask(); entries_[next].used; next = (next + 1) & mask()) {
      const std::size_t home = home_of(entries_[next].key);
      if (((next - home) & mask()) < ((next - gap) & mask())) continue;
      entries_[gap] = entries_[next];
      gap = next;
    }
    entries_[gap].used = false;
  }

  /// Loads the mailbox of `key` into the cache.
  void prefetch(const MessageKey& key) const {
    prefetch_lines<sizeof(Entry)>(&entries_[home_of(key)]);
  }
  /// The mailbox of `key`, if it is at the place of its hash; else null.
  [[nodiscard]] const Mailbox* at_home(const MessageKey& key) const {
    const Entry& entry = entries_[home_of(key)];
    return entry.used && entry.key == key ? &entry.box : nullptr;
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// The used entries by source, destination, tag and size.
  [[nodiscard]] std::vector<const Entry*> sorted() const {
    std::vector<const Entry*> all;
    for (const Entry& entry : entries_) {
      if (entry.used) all.push_back(&entry);
    }
    const auto order = [](const Entry* entry) {
      return std::tie(entry->key.src, entry->key.dst, entry->key.tag, entry->key.size);
    };
    std::sort(all.begin(), all.end(),
              [&](const auto* a, const auto* b) { return order(a) < order(b); });
    return all;
  }

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [entries, shift, count] = self;
    return std::tie(entries, shift, count);
  }

 private:
  static constexpr std::size_t kSmallest = 64;
  [[nodiscard]] std::size_t mask() const { return ~std::uint64_t{0} >> shift_; }

  // Ascending with the hash, whatever the size, so that grow() reads and writes in order.
  [[nodiscard]] std::size_t home_of(const MessageKey& key) const {
    return MessageKeyHash{}(key) >> shift_;
  }

  // Index of `key`, or of the free entry for it.
  [[nodiscard]] std::size_t slot(const MessageKey& key) const {
    std::size_t place = home_of(key);
    while (entries_[place].used && !(entries_[place].key == key)) place = (place + 1) & mask();
    return place;
  }

  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    --shift_;
    for (const Entry& entry : old) {
      if (entry.used) entries_[slot(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_;
  int shift_ = 64 - std::countr_zero(kSmallest);  // bits of the hash beyond those of an index
  std::size_t count_ = 0;
};

}  // namespace orrery::sim
