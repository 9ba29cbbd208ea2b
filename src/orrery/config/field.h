// SPDX-License-Identifier: Apache-2.0
//
// One line of a table of parameters. Light, so that structs that many include can declare their
// tables; what is made of them is in parameters.h.
#pragma once

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

/// One parameter: a member, its name in files, and a sentence about it.
template <class Owner, class Member>
struct Field {
  std::string_view name;
  Member Owner::*member;
  std::string_view about;
  Limits limits;
  bool is_required = false;
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
};

template <class Owner, class Member>
constexpr Field<Owner, Member> field(std::string_view name, Member Owner::*member,
                                     std::string_view about, Limits limits = {}) {
  return {name, member, about, limits};
}

/// The words for an enumeration; specialise `names` as an array of {word, value}.
template <class Enum>
struct EnumNames;

/// One row of such an array.
template <class E>
using EnumName = std::pair<std::string_view, E>;

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

/// The one for the value; empty, where there is none.
template <NamedEnum E>
constexpr std::string_view enum_name(E value) {
  for (const auto& [word, meaning] : EnumNames<E>::names)
    if (meaning == value) return word;
  return {};
}

}  // namespace orrery::config
