// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

/// A hash table from texts to their numbers: 1, 2, 3 … in order of insertion. Its owner stores the
/// texts, so that the table needs 16 to 32 bytes for each.
class TextNumbers {
 public:
  /// The number of `text`, and whether it is new. `text_at(number)` returns a text that was added
  /// before. O(length of the text), amortized.
  template <class TextAt>
  std::pair<std::uint32_t, bool> find_or_add(std::string_view text, const TextAt& text_at) {
    if (2 * (std::size_t{count_} + 1) > slots_.size()) grow();
    const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
    Slot& slot = slots_[place(hash, [&](const Slot& at) {
      return at.hash == hash && std::string_view(text_at(at.number)) == text;
    })];
    if (slot.number != 0) return {slot.number, false};
    slot = {hash, ++count_};
    return {count_, true};
  }
  /// Memory of the table, in bytes.
  [[nodiscard]] std::size_t resident_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  ///< 0: free
  };

  /// The first slot, from that of `hash` on, that is free or `is_it`.
  template <class IsIt>
  [[nodiscard]] std::size_t place(std::uint32_t hash, const IsIt& is_it) const {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].number != 0 && !is_it(slots_[at])) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, {});
    slots_.resize(old.empty() ? 16 : 2 * old.size());
    for (const Slot& slot : old)
      if (slot.number != 0) slots_[place(slot.hash, [](const Slot&) { return false; })] = slot;
  }

  std::vector<Slot> slots_;  // a power of two, at most half of them in use
  std::uint32_t count_ = 0;
};

}  // namespace orrery
