// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace orrery::trace::json {

/// Finds names in a constant array of entries, which are names or have a member `name`. Hashes the
/// length and three letters of a name; the table is built at compile time.
template <const auto& entries>
class NameIndex {
 public:
  using Entry = std::remove_cvref_t<decltype(entries[0])>;

  /// The entry with this name; null if there is none.
  [[nodiscard]] static const Entry* find(std::string_view name) {
    if (name.empty()) return nullptr;
    for (std::size_t slot = hash(name); kSlots[slot] != kFree; slot = (slot + 1) % kSlots.size()) {
      const Entry& entry = entries[kSlots[slot]];
      if (name_of(entry) == name) return &entry;
    }
    return nullptr;
  }

 private:
  static constexpr std::uint8_t kFree = 255;
  static constexpr unsigned kBits = 9;
  using Slots = std::array<std::uint8_t, 1u << kBits>;

  static constexpr std::string_view name_of(const Entry& entry) {
    if constexpr (std::is_convertible_v<const Entry&, std::string_view>) {
      return entry;
    } else {
      return entry.name;
    }
  }
  static constexpr std::size_t hash(std::string_view name) {
    const auto at = [name](std::size_t i) {
      return std::uint32_t{static_cast<std::uint8_t>(name[i])};
    };
    const std::size_t last = name.size() - 1;
    const std::uint32_t letters = at(0) | at(last / 2) << 8 | at(last) << 16;
    return ((letters ^ static_cast<std::uint32_t>(name.size()) << 24) * 0x9E3779B1u) >>
           (32 - kBits);
  }
  static constexpr Slots kSlots = [] {
    static_assert(std::size(entries) < kFree);
    Slots slots{};
    slots.fill(kFree);
    for (std::size_t i = 0; i < std::size(entries); ++i) {
      std::size_t slot = hash(name_of(entries[i]));
      while (slots[slot] != kFree) slot = (slot + 1) % slots.size();
      slots[slot] = static_cast<std::uint8_t>(i);
    }
    return slots;
  }();
};

}  // namespace orrery::trace::json
