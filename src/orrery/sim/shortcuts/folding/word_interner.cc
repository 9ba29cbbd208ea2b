// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/word_interner.h"

#include <algorithm>
#include <utility>

namespace orrery::sim {

bool WordInterner::is_equal(std::uint32_t number, std::span<const std::uint64_t> words) const {
  const std::size_t first = ends_[number];
  return ends_[number + 1] - first == words.size() &&
         std::equal(words.begin(), words.end(),
                    words_.begin() + static_cast<std::ptrdiff_t>(first));
}

WordInterner::Slot& WordInterner::slot_of(std::uint64_t hash,
                                          std::span<const std::uint64_t> words) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.number == kNone || (slot.hash == hash && is_equal(slot.number, words))) return slot;
  }
}

std::uint32_t WordInterner::number(std::span<const std::uint64_t> words) {
  if (last_ != kNone && is_equal(last_, words)) return last_;
  const std::uint64_t hash = hash_words(words);
  Slot& slot = slot_of(hash, words);
  if (slot.number != kNone) return last_ = slot.number;
  last_ = size();
  slot = {hash, last_};
  words_.insert(words_.end(), words.begin(), words.end());
  ends_.push_back(words_.size());
  if (std::size_t{size()} * 2 > slots_.size()) grow();
  return last_;
}

void WordInterner::grow() {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size() * 4));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.number == kNone) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

void WordInterner::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  words_.clear();
  ends_.assign(1, 0);
  last_ = kNone;
}

std::uint32_t KeyNumbering::number(std::uint64_t key) {
  const auto next = static_cast<std::uint32_t>(keys_.size());
  if (keys_.size() <= kFew) {
    const auto found = std::find(keys_.begin(), keys_.end(), key);
    if (found != keys_.end()) return static_cast<std::uint32_t>(found - keys_.begin());
    keys_.push_back(key);
    if (keys_.size() > kFew) grow();
    return next;
  }
  std::uint32_t& slot = slot_of(key);
  if (slot != kNone) return slot;
  slot = next;
  keys_.push_back(key);
  if (2 * keys_.size() > slots_.size()) grow();
  return next;
}

std::uint32_t& KeyNumbering::slot_of(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_words({&key, 1}) & mask;; at = (at + 1) & mask) {
    if (slots_[at] == kNone || keys_[slots_[at]] == key) return slots_[at];
  }
}

void KeyNumbering::grow() {
  if (slots_.size() < 2 * keys_.size()) slots_.assign(8 * std::bit_ceil(keys_.size()), kNone);
  for (std::uint32_t i = 0; i < keys_.size(); ++i) slot_of(keys_[i]) = i;
}

void KeyNumbering::clear() {
  if (slots_.size() > 16 * keys_.size()) {
    slots_.clear();
  } else if (keys_.size() > kFew) {
    std::fill(slots_.begin(), slots_.end(), kNone);
  }
  keys_.clear();
}

}  // namespace orrery::sim
