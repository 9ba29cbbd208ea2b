// SPDX-License-Identifier: Apache-2.0
//
// Text put together when the program is compiled, from tables for example.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace orrery {

namespace detail {

template <class Parts>
constexpr std::size_t size_of_parts() {
  std::size_t size = 0;
  Parts{}([&](std::string_view text) { size += text.size(); });
  return size;
}

template <class Parts>
inline constexpr auto kCharacters = [] {
  std::array<char, size_of_parts<Parts>()> all{};
  std::size_t end = 0;
  Parts{}([&](std::string_view text) {
    for (const char c : text) all[end++] = c;
  });
  return all;
}();

}  // namespace detail

/// All that `Parts{}(add)` calls `add` with, one after another.
template <class Parts>
inline constexpr std::string_view kStaticText{detail::kCharacters<Parts>.data(),
                                              detail::kCharacters<Parts>.size()};

}  // namespace orrery
