// SPDX-License-Identifier: Apache-2.0
//
// One line of a table of parameters. A light header: parameters.h has the reader, schema, reference
// and writer.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace orrery::config {

/// What a number may be. Both ends are allowed values.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above_zero = false;
};
constexpr Limits at_least(double low) { return {low}; }
constexpr Limits between(double low, double high) { return {low, high}; }
constexpr Limits share() { return {0, 1, true}; }  ///< more than 0, at most 1
constexpr Limits positive() { return {0, std::numeric_limits<double>::infinity(), true}; }

/// One parameter: a member, its name in files, and a sentence about it. Files contain the member as
/// a `Form`, which converts to and from `Member`.
template <class Owner, class Member, class Form = Member>
struct Field {
  std::string_view name;
  Member Owner::*member;
  std::string_view about;
  Limits limits;
  bool is_required = false;
  bool is_unset_by_default = false;
  std::string_view default_note = {};  ///< in words, when the default depends on something else

  [[nodiscard]] constexpr Field required() const {
    Field copy = *this;
    copy.is_required = true;
    return copy;
  }
  [[nodiscard]] constexpr Field by_default(std::string_view note) const {
    Field copy = *this;
    copy.default_note = note;
    return copy;
  }
  /// The member's default stands for a missing key: the writer omits it, and schema and reference
  /// show no value.
  [[nodiscard]] constexpr Field unset_by_default() const {
    Field copy = *this;
    copy.is_unset_by_default = true;
    return copy;
  }
  template <class Other>
  [[nodiscard]] constexpr Field<Owner, Member, Other> as() const {
    return {name, member, about, limits, is_required, is_unset_by_default, default_note};
  }
};

template <class Owner, class Member>
constexpr Field<Owner, Member> field(std::string_view name, Member Owner::*member,
                                     std::string_view about, Limits limits = {}) {
  return {name, member, about, limits};
}

/// The table of a struct without a member `fields`, such as a struct that has no file format of its
/// own. Specialize `fields`, a tuple.
template <class T>
struct ParameterTable;

/// The words for an enumeration; specialize `names` as an array of {word, value}.
template <class Enum>
struct EnumNames;

/// One row of such an array.
template <class E>
using EnumName = std::pair<std::string_view, E>;

/// The rows for an enumeration whose values are 0 … `last`: one word for each, in order. A missing
/// word, or one too many, does not compile.
template <auto last, class... Words>
constexpr auto names_in_order(Words... words) {
  static_assert(sizeof...(Words) == static_cast<std::size_t>(last) + 1);
  std::size_t value = 0;
  return std::array{EnumName<decltype(last)>{words, static_cast<decltype(last)>(value++)}...};
}

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires {
  EnumNames<T>::names;
};

template <NamedEnum E>
std::vector<std::string_view> enum_names() {
  std::vector<std::string_view> words;
  for (const auto& [word, value] : EnumNames<E>::names) words.push_back(word);
  return words;
}

/// The word for the value; empty: none.
template <NamedEnum E>
constexpr std::string_view enum_name(E value) {
  for (const auto& [word, meaning] : EnumNames<E>::names)
    if (meaning == value) return word;
  return {};
}

}  // namespace orrery::config
