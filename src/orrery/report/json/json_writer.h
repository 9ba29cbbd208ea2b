// SPDX-License-Identifier: Apache-2.0
//
// JSON written straight into a string: no tree in between, so a hundred thousand ranks cost what
// their text costs.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::report {

/// Appends one JSON document to a string. Containers near the top are broken over lines, deeper
/// ones stay on one. Text that is not UTF-8 has its wrong bytes replaced by U+FFFD, so the output
/// is always valid JSON.
class JsonWriter {
 public:
  /// Containers nested deeper than `broken_levels` are written on one line.
  explicit JsonWriter(std::string& out, int broken_levels = 3)
      : out_(out), broken_levels_(broken_levels) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  /// The name of the next value; only inside an object.
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  JsonWriter& value(double number);  ///< null when not finite
  template <std::integral T>
  requires(!std::same_as<T, bool>) JsonWriter& value(T number) {
    if constexpr (std::signed_integral<T>) {
      return integer(static_cast<std::int64_t>(number));
    } else {
      return natural(static_cast<std::uint64_t>(number));
    }
  }
  JsonWriter& null();

  /// `"name": value`.
  template <class T>
  JsonWriter& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }
  /// A number of arbitrary size, in decimal digits.
  JsonWriter& digits(std::string_view number);
  /// Nanoseconds, exact: up to three decimals.
  JsonWriter& nanoseconds(Time time);
  /// `"<name>_ns": N`.
  JsonWriter& nanoseconds(std::string_view name, Time time);
  /// The same of a time that is a real number of nanoseconds, to the nearest picosecond.
  JsonWriter& nanoseconds(std::string_view name, double count);

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& integer(std::int64_t number);
  JsonWriter& natural(std::uint64_t number);
  void before_value();
  void new_line();

  std::string& out_;
  int broken_levels_;
  std::vector<bool> has_items_;  // one per open container
  bool after_key_ = false;
};

}  // namespace orrery::report
