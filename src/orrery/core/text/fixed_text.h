// SPDX-License-Identifier: Apache-2.0
//
// Strings that are concatenated at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace orrery {

/// The text that `Writer::write(put)` produces by calls of put(std::string_view).
template <class Writer>
class FixedText {
  static constexpr std::size_t kSize = [] {
    std::size_t size = 0;
    Writer::write([&](std::string_view text) { size += text.size(); });
    return size;
  }();
  static constexpr std::array<char, kSize> kText = [] {
    std::array<char, kSize> text{};
    std::size_t at = 0;
    Writer::write([&](std::string_view piece) {
      for (const char c : piece) text[at++] = c;
    });
    return text;
  }();

 public:
  static constexpr std::string_view kView{kText.data(), kSize};
};

}  // namespace orrery
