// SPDX-License-Identifier: Apache-2.0
//
// The JSON types of question fields and their descriptions.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/core/quantity.h"

namespace orrery::config {

/// The JSON type of a value and its name on reference pages.
struct FieldKind {
  std::string_view json = "string", words = "text";
  bool is_list = false;
};

template <class T>
struct FieldKindOf {
  static constexpr FieldKind kKind = std::is_same_v<T, bool> ? FieldKind{"boolean", "true or false"}
                                     : std::is_integral_v<T> ? FieldKind{"integer", "whole number"}
                                     : std::is_floating_point_v<T> ? FieldKind{"number", "number"}
                                                                   : FieldKind{};
};
template <>
struct FieldKindOf<Bytes> {
  static constexpr FieldKind kKind{"string", "size: 64MB"};
};
template <>
struct FieldKindOf<Time> {
  static constexpr FieldKind kKind{"string", "time: 10us"};
};
template <class T>
struct FieldKindOf<std::optional<T>> : FieldKindOf<T> {};
template <class T>
struct FieldKindOf<std::vector<T>> {
  static constexpr FieldKind kKind{FieldKindOf<T>::kKind.json, FieldKindOf<T>::kKind.words, true};
};

}  // namespace orrery::config
