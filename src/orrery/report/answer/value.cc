// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/answer/value.h"

#include <fmt/format.h>

#include <type_traits>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/report/answer/number_text.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {

bool Value::is_number() const {
  return !std::holds_alternative<std::string>(json_) && !std::holds_alternative<bool>(json_) &&
         !is_null();
}

std::string Value::text() const {
  if (text_) return *text_;
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "-";
        } else if constexpr (std::is_same_v<T, bool>) {
          return value ? "yes" : "no";
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          return format_count(value);
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
          return count(value);
        } else if constexpr (std::is_same_v<T, double>) {
          return fmt::format("{:.4g}", value);
        } else if constexpr (std::is_same_v<T, Time>) {
          return format_time(value);
        } else if constexpr (std::is_same_v<T, Bytes>) {
          return traffic_text(value);
        } else if constexpr (std::is_same_v<T, Bandwidth>) {
          return format_bandwidth(value);
        } else if constexpr (std::is_same_v<T, FlopRate>) {
          return format_flops(value);
        } else if constexpr (std::is_same_v<T, Share>) {
          return percent(value.of);
        } else if constexpr (std::is_same_v<T, Digits>) {
          return value.digits;
        } else {
          return printable(value);
        }
      },
      json_);
}

void Value::write(JsonWriter& json) const {
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          json.null();
        } else if constexpr (std::is_same_v<T, Time>) {
          json.nanoseconds(value);
        } else if constexpr (std::is_same_v<T, Bytes> || std::is_same_v<T, Bandwidth> ||
                             std::is_same_v<T, FlopRate>) {
          json.value(value.count());
        } else if constexpr (std::is_same_v<T, Share>) {
          json.value(value.of);
        } else if constexpr (std::is_same_v<T, Digits>) {
          json.digits(value.digits);
        } else if constexpr (std::is_same_v<T, std::string>) {
          json.value(std::string_view(value));
        } else {
          json.value(value);
        }
      },
      json_);
}

}  // namespace orrery::report
