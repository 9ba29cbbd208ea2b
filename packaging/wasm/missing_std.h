// SPDX-License-Identifier: Apache-2.0
//
// Parts of the C++20 library that Debian 12's emscripten (libc++ 13) lacks and that Orrery uses:
// comparisons with <=>, constrained algorithms, floating-point numbers in <charconv>. Every file of
// the WebAssembly build includes it first; no other build does.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if _LIBCPP_VERSION >= 14000
#error "This C++ library has some of these parts. Remove them here."
#endif

namespace orrery_missing {

/// a <=> b, or from a < b for types that have only that.
inline constexpr auto compare = []<class A, class B>(const A& a, const B& b) {
  if constexpr (requires { a <=> b; })
    return a <=> b;
  else
    return a < b ? std::weak_ordering::less
                 : (b < a ? std::weak_ordering::greater : std::weak_ordering::equivalent);
};
template <class A, class B = A>
using Ordering = decltype(compare(std::declval<const A&>(), std::declval<const B&>()));

template <class Range>
constexpr auto compare_ranges(const Range& a, const Range& b)
    -> Ordering<typename Range::value_type> {
  auto x = a.begin();
  auto y = b.begin();
  for (; x != a.end() && y != b.end(); ++x, ++y)
    if (const auto order = compare(*x, *y); order != 0) return order;
  if (x != a.end()) return Ordering<typename Range::value_type>::greater;
  if (y != b.end()) return Ordering<typename Range::value_type>::less;
  return Ordering<typename Range::value_type>::equivalent;
}

template <std::size_t I, class Tuple, class Order>
constexpr Order compare_from(const Tuple& a, const Tuple& b) {
  if constexpr (I == std::tuple_size_v<Tuple>) {
    return Order::equivalent;
  } else {
    if (const auto order = compare(std::get<I>(a), std::get<I>(b)); order != 0) return order;
    return compare_from<I + 1, Tuple, Order>(a, b);
  }
}

template <class... T>
using Common = std::conditional_t<sizeof...(T) == 0, std::strong_ordering,
                                  std::common_comparison_category_t<Ordering<T>...>>;

}  // namespace orrery_missing

_LIBCPP_BEGIN_NAMESPACE_STD

template <class C, class T, class A>
constexpr strong_ordering operator<=>(const basic_string<C, T, A>& a,
                                      const basic_string<C, T, A>& b) {
  return a.compare(b) <=> 0;
}
template <class C, class T>
constexpr strong_ordering operator<=>(basic_string_view<C, T> a, basic_string_view<C, T> b) {
  return a.compare(b) <=> 0;
}
template <class T, class A>
constexpr auto operator<=>(const vector<T, A>& a, const vector<T, A>& b) {
  return orrery_missing::compare_ranges(a, b);
}
template <class T, size_t N>
constexpr auto operator<=>(const array<T, N>& a, const array<T, N>& b) {
  return orrery_missing::compare_ranges(a, b);
}
template <class A, class B>
constexpr auto operator<=>(const pair<A, B>& a, const pair<A, B>& b)
    -> orrery_missing::Common<A, B> {
  return orrery_missing::compare_from<0, pair<A, B>, orrery_missing::Common<A, B>>(a, b);
}
template <class... T>
constexpr auto operator<=>(const tuple<T...>& a, const tuple<T...>& b)
    -> orrery_missing::Common<remove_reference_t<T>...> {
  return orrery_missing::compare_from<0, tuple<T...>,
                                      orrery_missing::Common<remove_reference_t<T>...>>(a, b);
}
template <class T>
constexpr auto operator<=>(const optional<T>& a, const optional<T>& b)
    -> orrery_missing::Ordering<T> {
  if (a && b) return orrery_missing::compare(*a, *b);
  if (a) return orrery_missing::Ordering<T>::greater;
  if (b) return orrery_missing::Ordering<T>::less;
  return orrery_missing::Ordering<T>::equivalent;
}

namespace ranges {

// Only the forms with a range, and with the arguments that Orrery gives.
template <class Range, class Test, class Part = identity>
constexpr bool any_of(Range&& range, Test test, Part part = {}) {
  return std::any_of(std::begin(range), std::end(range),
                     [&](auto&& value) -> bool { return invoke(test, invoke(part, value)); });
}
template <class Range, class Test, class Part = identity>
constexpr bool all_of(Range&& range, Test test, Part part = {}) {
  return std::all_of(std::begin(range), std::end(range),
                     [&](auto&& value) -> bool { return invoke(test, invoke(part, value)); });
}
template <class Range, class Test, class Part = identity>
constexpr bool none_of(Range&& range, Test test, Part part = {}) {
  return std::none_of(std::begin(range), std::end(range),
                      [&](auto&& value) -> bool { return invoke(test, invoke(part, value)); });
}
template <class Range, class Test, class Part = identity>
constexpr auto count_if(Range&& range, Test test, Part part = {}) {
  return std::count_if(std::begin(range), std::end(range),
                       [&](auto&& value) -> bool { return invoke(test, invoke(part, value)); });
}
template <class Range, class Test, class Part = identity>
constexpr auto find_if(Range&& range, Test test, Part part = {}) {
  return std::find_if(std::begin(range), std::end(range),
                      [&](auto&& value) -> bool { return invoke(test, invoke(part, value)); });
}
template <class Range, class Wanted, class Part = identity>
constexpr auto find(Range&& range, const Wanted& wanted, Part part = {}) {
  return std::find_if(std::begin(range), std::end(range),
                      [&](auto&& value) -> bool { return invoke(part, value) == wanted; });
}
template <class Range, class Wanted, class Part = identity>
constexpr auto count(Range&& range, const Wanted& wanted, Part part = {}) {
  return std::count_if(std::begin(range), std::end(range),
                       [&](auto&& value) -> bool { return invoke(part, value) == wanted; });
}
template <class Range, class Less = std::less<>, class Part = identity>
constexpr void sort(Range&& range, Less before = {}, Part part = {}) {
  std::sort(std::begin(range), std::end(range), [&](const auto& a, const auto& b) -> bool {
    return invoke(before, invoke(part, a), invoke(part, b));
  });
}
template <class Range, class Less = std::less<>, class Part = identity>
void stable_sort(Range&& range, Less before = {}, Part part = {}) {
  std::stable_sort(std::begin(range), std::end(range), [&](const auto& a, const auto& b) -> bool {
    return invoke(before, invoke(part, a), invoke(part, b));
  });
}
template <class Range, class Less = std::less<>, class Part = identity>
constexpr bool is_sorted(Range&& range, Less before = {}, Part part = {}) {
  return std::is_sorted(std::begin(range), std::end(range),
                        [&](const auto& a, const auto& b) -> bool {
                          return invoke(before, invoke(part, a), invoke(part, b));
                        });
}
template <class Range, class Wanted, class Less = std::less<>, class Part = identity>
constexpr auto lower_bound(Range&& range, const Wanted& wanted, Less before = {}, Part part = {}) {
  return std::lower_bound(std::begin(range), std::end(range), wanted,
                          [&](const auto& value, const Wanted& w) -> bool {
                            return invoke(before, invoke(part, value), w);
                          });
}
template <class Range, class Less = std::less<>, class Part = identity>
constexpr auto min_element(Range&& range, Less before = {}, Part part = {}) {
  return std::min_element(std::begin(range), std::end(range),
                          [&](const auto& a, const auto& b) -> bool {
                            return invoke(before, invoke(part, a), invoke(part, b));
                          });
}
template <class Range, class Less = std::less<>, class Part = identity>
constexpr auto min(Range&& range, Less before = {}, Part part = {}) {
  return *ranges::min_element(range, before, part);
}
template <class Range>
constexpr auto max(Range&& range) {
  return *std::max_element(std::begin(range), std::end(range));
}
template <class T>
struct MinMax {
  T min, max;
};
template <class Range>
constexpr auto minmax(Range&& range) {
  const auto [least, most] = std::minmax_element(std::begin(range), std::end(range));
  return MinMax<remove_cvref_t<decltype(*least)>>{*least, *most};
}
template <class Range, class Out>
constexpr auto move(Range&& range, Out out) {
  return std::move(std::begin(range), std::end(range), out);
}
template <class Range, class Out, class Test>
constexpr auto copy_if(Range&& range, Out out, Test test) {
  return std::copy_if(std::begin(range), std::end(range), out,
                      [&](const auto& value) -> bool { return invoke(test, value); });
}
template <class Range, class Old, class New>
constexpr void replace(Range&& range, const Old& old, const New& with) {
  std::replace(std::begin(range), std::end(range), old, with);
}
template <class A, class B>
constexpr bool equal(A&& a, B&& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

}  // namespace ranges

/// [charconv.to.chars] for a finite number: the shortest text that reads back as the number.
/// `printf` rounds correctly, and of %e and %f the shorter one is taken, %f if equal.
inline to_chars_result to_chars(char* first, char* last, double number) {
  char scientific[32];
  int precision = 0;
  do snprintf(scientific, sizeof scientific, "%.*e", precision, number);
  while (strtod(scientific, nullptr) != number && ++precision < 17);
  const int exponent = atoi(strchr(scientific, 'e') + 1);
  char fixed[352];
  snprintf(fixed, sizeof fixed, "%.*f", max(0, precision - exponent), number);
  const string_view shorter = strlen(fixed) <= strlen(scientific) ? fixed : scientific;
  if (last - first < static_cast<ptrdiff_t>(shorter.size())) return {last, errc::value_too_large};
  memcpy(first, shorter.data(), shorter.size());
  return {first + shorter.size(), errc()};
}

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

/// [charconv.from.chars] for decimal numbers: no blanks, no '+', no hexadecimal form.
template <class Number>
requires is_same_v<Number, double>
inline from_chars_result from_chars(const char* first, const char* last, Number& number) {
  const char* at = first;
  if (at != last && *at == '-') ++at;
  const bool is_word = at != last && (*at == 'i' || *at == 'I' || *at == 'n' || *at == 'N');
  const char* end = at;
  if (is_word) {
    while (end != last && ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z'))) ++end;
  } else {
    const auto skip_digits = [&] {
      const char* const begin = end;
      while (end != last && *end >= '0' && *end <= '9') ++end;
      return end - begin;
    };
    auto digits = skip_digits();
    if (end != last && *end == '.') {
      ++end;
      digits += skip_digits();
    }
    if (digits == 0) return {first, errc::invalid_argument};
    if (end != last && (*end == 'e' || *end == 'E')) {
      const char* const mantissa = end++;
      if (end != last && (*end == '+' || *end == '-')) ++end;
      if (skip_digits() == 0) end = mantissa;
    }
  }
  const string text(first, end);
  char* stop = nullptr;
  errno = 0;
  const double value = strtod(text.c_str(), &stop);  // the "C" locale: no program here sets one
  if (stop == text.c_str()) return {first, errc::invalid_argument};
  const char* const after = first + (stop - text.c_str());
  if (errno == ERANGE && (value == 0 || value == HUGE_VAL || value == -HUGE_VAL))
    return {after, errc::result_out_of_range};
  number = value;
  return {after, errc()};
}

_LIBCPP_END_NAMESPACE_STD
