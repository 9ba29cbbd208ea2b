// SPDX-License-Identifier: Apache-2.0
//
// A value of an answer with its unit. Programs get a JSON number, people get text.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "orrery/core/quantity.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::report {

/// A part of a whole, from 0 to 1. Text: "61.2 %".
struct Share {
  double of = 0;
};
/// An integer beyond 64 bits, in decimal digits.
struct Digits {
  std::string digits;
};

/// One value. Times become nanoseconds in JSON, bytes integers, rates numbers per second. Empty
/// optionals become null, and "-" for people.
class Value {
 public:
  Value() = default;  ///< null
  // Implicit: statements pass plain values.
  // NOLINTBEGIN(google-explicit-constructor)
  Value(bool truth) : json_(truth) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T number) {
    if constexpr (std::signed_integral<T>)
      json_ = static_cast<std::int64_t>(number);
    else
      json_ = static_cast<std::uint64_t>(number);
  }
  Value(double number) : json_(number) {}
  Value(Time time) : json_(time) {}
  Value(Bytes bytes) : json_(bytes) {}
  Value(Bandwidth rate) : json_(rate) {}
  Value(FlopRate rate) : json_(rate) {}
  Value(Share share) : json_(share) {}
  Value(Digits digits) : json_(std::move(digits)) {}
  Value(std::string text) : json_(std::move(text)) {}
  Value(std::string_view text) : json_(std::string(text)) {}
  Value(const char* text) : json_(std::string(text)) {}
  template <class T>
  Value(const std::optional<T>& value) {
    if (value) *this = Value(*value);
  }
  // NOLINTEND(google-explicit-constructor)

  /// The same value, with this text for people.
  [[nodiscard]] Value shown(std::string text) && {
    text_ = std::move(text);
    return std::move(*this);
  }

  [[nodiscard]] bool is_null() const { return json_.index() == 0; }
  /// Whether it is a number: tables align numbers to the right.
  [[nodiscard]] bool is_number() const;
  /// For people. Text of traces and files becomes printable.
  [[nodiscard]] std::string text() const;
  void write(JsonWriter& json) const;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, Time, Bytes, Bandwidth,
               FlopRate, Share, Digits, std::string>
      json_;
  std::optional<std::string> text_;
};

template <class Range>
void write_values(JsonWriter& json, const Range& values) {
  json.begin_array();
  for (const auto& value : values) Value(value).write(json);
  json.end_array();
}

}  // namespace orrery::report
