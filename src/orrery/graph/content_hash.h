// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace orrery::graph {

/// An incremental 64-bit hash of words, equal on every machine. Not cryptographic.
class ContentHash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ull;
    state_ ^= state_ >> 32;
    state_ *= 0xD6E8FEB86659FD93ull;
    state_ ^= state_ >> 29;
  }
  /// Adds four words. Faster than one at a time, because the multiplications are independent.
  void add(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    const std::uint64_t ab =
        (a ^ 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull ^ std::rotl(b * kB, 29);
    const std::uint64_t cd =
        (c ^ kB) * 0xA0761D6478BD642Full ^ std::rotl(d * 0xE7037ED1A0B428DBull, 31);
    add((ab ^ ab >> 32) * kB + (cd ^ cd >> 29));
  }
  void add(std::string_view text) {
    add(text.size());
    while (!text.empty()) {
      std::uint64_t word = 0;
      const std::size_t length = text.size() < 8 ? text.size() : 8;
      for (std::size_t i = 0; i < length; ++i) {
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
      }
      add(word);
      text.remove_prefix(length);
    }
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  static constexpr std::uint64_t kB = 0x8EBC6AF09C88C6E3ull;
  std::uint64_t state_ = 0x2545F4914F6CDD1Dull;
};

}  // namespace orrery::graph
