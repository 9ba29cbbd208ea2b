// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace orrery::graph {

/// A running 64-bit hash over words; the same on every machine. Not for secrets.
class ContentHash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ull;
    state_ ^= state_ >> 32;
    state_ *= 0xD6E8FEB86659FD93ull;
    state_ ^= state_ >> 29;
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
  std::uint64_t state_ = 0x2545F4914F6CDD1Dull;
};

}  // namespace orrery::graph
