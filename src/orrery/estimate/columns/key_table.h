// SPDX-License-Identifier: Apache-2.0
//
// Index of table entries by key, for many look-ups and few entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery::estimate {

/// A key of two words that determines an entry.
struct TableKey {
  std::uint64_t a = 0, b = 0;

  friend bool operator==(const TableKey&, const TableKey&) = default;
};

/// A value as a part of a key.
[[nodiscard]] constexpr std::uint64_t key_bits(std::int32_t value) {
  return static_cast<std::uint32_t>(value);
}

/// Numbers keys in the order of insertion. Open addressing, at most half full. Look-ups allocate
/// nothing.
class KeyTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The number of `key`; kNone: not in the table.
  [[nodiscard]] std::uint32_t find(TableKey key) const {
    if (places_.empty()) return kNone;
    for (std::size_t at = hash(key) & mask(); places_[at] != kNone; at = (at + 1) & mask())
      if (keys_[places_[at]] == key) return places_[at];
    return kNone;
  }

  /// Adds `key`, which must be new, and returns its number.
  std::uint32_t add(TableKey key) {
    if (places_.size() < 2 * (keys_.size() + 1)) grow();
    const auto number = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    put(number);
    return number;
  }

  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  [[nodiscard]] std::size_t mask() const { return places_.size() - 1; }
  [[nodiscard]] static std::size_t hash(TableKey key) {
    std::uint64_t value = key.a * 0x9e3779b97f4a7c15ULL ^ (key.b + 0x7f4a7c15ULL);
    value = (value ^ value >> 32) * 0xd6e8feb86659fd93ULL;
    return static_cast<std::size_t>(value ^ value >> 29);
  }
  void put(std::uint32_t number) {
    std::size_t at = hash(keys_[number]) & mask();
    while (places_[at] != kNone) at = (at + 1) & mask();
    places_[at] = number;
  }
  void grow() {
    places_.assign(places_.empty() ? 64 : 4 * places_.size(), kNone);
    for (std::uint32_t i = 0; i < keys_.size(); ++i) put(i);
  }

  std::vector<TableKey> keys_;
  std::vector<std::uint32_t> places_;
};

/// Entries by key.
template <class Entry>
struct KeyedTable {
  KeyTable keys;
  std::vector<Entry> entries;

  [[nodiscard]] const Entry* find(TableKey key) const {
    const std::uint32_t at = keys.find(key);
    return at == KeyTable::kNone ? nullptr : &entries[at];
  }
  Entry& add(TableKey key, Entry entry) {
    keys.add(key);
    return entries.emplace_back(std::move(entry));
  }
};

}  // namespace orrery::estimate
