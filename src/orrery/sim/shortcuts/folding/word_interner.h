// SPDX-License-Identifier: Apache-2.0
//
// Assigns small integers to equal sequences of words, and to equal words.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/sim/recording.h"

namespace orrery::sim {

/// Hash of a sequence of words. Not cryptographic.
[[nodiscard]] inline std::uint64_t hash_words(std::span<const std::uint64_t> words) {
  std::uint64_t state = 0x2545F4914F6CDD1Dull ^ words.size();
  for (const std::uint64_t word : words) {
    state = (std::rotl(state, 23) ^ word) * 0x9E3779B97F4A7C15ull;
    state ^= state >> 32;
  }
  return state * 0xD6E8FEB86659FD93ull ^ state >> 29;
}

/// Packs two numbers in one word.
[[nodiscard]] constexpr std::uint64_t pack_pair(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

/// Numbers sequences of words: 0, 1, 2 … in order of first appearance. Equal numbers mean equal
/// sequences, because all words are compared.
class WordInterner {
 public:
  /// Amortised O(words). Finds the sequence of the previous call without a search.
  [[nodiscard]] std::uint32_t number(std::span<const std::uint64_t> words);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size() - 1); }
  void clear();

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = kNone;  ///< kNone: free
  };

  [[nodiscard]] bool is_equal(std::uint32_t number, std::span<const std::uint64_t> words) const;
  [[nodiscard]] Slot& slot_of(std::uint64_t hash, std::span<const std::uint64_t> words);
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(16);  // a power of two, less than half used
  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> ends_{0};
  std::uint32_t last_ = kNone;
};

/// Numbers single words in order of first appearance.
class KeyNumbering {
 public:
  [[nodiscard]] std::uint32_t number(std::uint64_t key);
  [[nodiscard]] const std::vector<std::uint64_t>& keys() const { return keys_; }
  void clear();

 private:
  static constexpr std::size_t kFew = 8;  // below this number, linear search

  /// The slot of the key: its number, or kNone.
  [[nodiscard]] std::uint32_t& slot_of(std::uint64_t key);
  void grow();

  std::vector<std::uint64_t> keys_;
  // Used for more than kFew keys: a power of two, at most half used; kNone: free. Storage stays for
  // the next keys, because a workload can have many graphs.
  std::vector<std::uint32_t> slots_;
};

}  // namespace orrery::sim
