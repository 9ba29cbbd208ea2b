// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "orrery/profile/profile.h"
#include "orrery/trace/json/decimal.h"

namespace orrery::trace::kineto {

/// The integer part of a raw number, with or without quotes.
inline std::optional<std::int64_t> integer(std::string_view raw) {
  if (raw.empty()) return std::nullopt;
  if (raw.size() <= 18) {
    std::int64_t value = 0;
    for (const char c : raw) {
      if (c < '0' || c > '9') return json::fixed_point(raw, 0);
      value = value * 10 + (c - '0');
    }
    return value;
  }
  return json::fixed_point(raw, 0);
}

inline std::int64_t integer_or(std::string_view raw, std::int64_t otherwise) {
  return raw.empty() ? otherwise : integer(raw).value_or(otherwise);
}

/// An id; kNoId if absent, negative or 0.
inline std::uint64_t id_of(std::string_view raw) {
  const std::int64_t value = integer_or(raw, 0);
  return value > 0 ? static_cast<std::uint64_t>(value) : profile::kNoId;
}

}  // namespace orrery::trace::kineto
