// SPDX-License-Identifier: Apache-2.0
//
// All members of a plain struct as a tuple of references. C++20 has no reflection: the number of
// members is the largest number of initializers that the struct accepts, and a structured binding
// with that many names finds them. Source of the technique: Polukhin, Boost.PFR.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace orrery {

namespace aggregate_members_detail {

struct AnyValue {
  template <class T>
  constexpr operator T() const;  // NOLINT: implicit, and never defined
};
template <std::size_t>
using AnyValueAt = AnyValue;

template <class T, std::size_t... i>
constexpr bool accepts(std::index_sequence<i...> /*places*/) {
  return requires { T{AnyValueAt<i>{}...}; };
}
inline constexpr std::size_t kMost = 20;  // members

template <class T, std::size_t n = kMost + 1>
constexpr std::size_t count() {
  if constexpr (n == 0 || accepts<T>(std::make_index_sequence<n>())) {
    return n;
  } else {
    return count<T, n - 1>();
  }
}

}  // namespace aggregate_members_detail

/// A struct whose members are all public, without arrays and std::optional as direct members.
template <class T>
concept PlainStruct = std::is_class_v<T> && std::is_aggregate_v<T>;

/// References to all members, in the order of their declaration. A struct that this function does
/// not support does not compile.
template <class T>
requires PlainStruct<std::remove_const_t<T>>
constexpr auto members(T& value) {
  constexpr std::size_t n = aggregate_members_detail::count<std::remove_const_t<T>>();
  static_assert(n > 0 && n <= aggregate_members_detail::kMost);
  // clang-format off
  if constexpr (n == 1) { auto& [a] = value; return std::tie(a); }
  else if constexpr (n == 2) { auto& [a, b] = value; return std::tie(a, b); }
  else if constexpr (n == 3) { auto& [a, b, c] = value; return std::tie(a, b, c); }
  else if constexpr (n == 4) { auto& [a, b, c, d] = value; return std::tie(a, b, c, d); }
  else if constexpr (n == 5) { auto& [a, b, c, d, e] = value; return std::tie(a, b, c, d, e); }
  else if constexpr (n == 6) { auto& [a, b, c, d, e, f] = value; return std::tie(a, b, c, d, e, f); }
  else if constexpr (n == 7) { auto& [a, b, c, d, e, f, g] = value; return std::tie(a, b, c, d, e, f, g); }
  else if constexpr (n == 8) { auto& [a, b, c, d, e, f, g, h] = value; return std::tie(a, b, c, d, e, f, g, h); }
  else if constexpr (n == 9) { auto& [a, b, c, d, e, f, g, h, i] = value; return std::tie(a, b, c, d, e, f, g, h, i); }
  else if constexpr (n == 10) { auto& [a, b, c, d, e, f, g, h, i, j] = value; return std::tie(a, b, c, d, e, f, g, h, i, j); }
  else if constexpr (n == 11) { auto& [a, b, c, d, e, f, g, h, i, j, k] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k); }
  else if constexpr (n == 12) { auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l); }
  else if constexpr (n == 13) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m); }
  else if constexpr (n == 14) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o); }
  else if constexpr (n == 15) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p); }
  else if constexpr (n == 16) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q); }
  else if constexpr (n == 17) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r); }
  else if constexpr (n == 18) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s); }
  else if constexpr (n == 19) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t); }
  else { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u] = value; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u); }
  // clang-format on
}

}  // namespace orrery
