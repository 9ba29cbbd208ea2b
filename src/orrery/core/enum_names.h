// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace orrery {

/// Texts for the enumerators 0 … `last`, in their order; `last` is the last one. A missing text, or
/// one too many, does not compile.
template <auto last, class... Names>
[[nodiscard]] constexpr std::array<std::string_view, sizeof...(Names)> enumerator_names(
    Names... names) {
  static_assert(sizeof...(Names) == static_cast<std::size_t>(last) + 1);
  return {names...};
}

}  // namespace orrery
