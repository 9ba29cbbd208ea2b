// SPDX-License-Identifier: Apache-2.0
//
// Fields of questions that are durations or bandwidths.
#pragma once

#include <fmt/format.h>

#include <string>

#include "orrery/config/question_kinds.h"
#include "orrery/core/text/duration.h"
#include "orrery/core/text/units.h"

namespace orrery {

[[nodiscard]] inline std::string field_text(Duration value) { return exact_duration(value); }
[[nodiscard]] inline std::string field_text(Bandwidth value) { return exact_bandwidth(value); }

[[nodiscard]] inline Result<void> set_field(const std::string& text, std::string_view where,
                                            Duration& out) {
  const auto parsed = parse_duration(text, std::string(where));
  if (!parsed) return tl::unexpected(parsed.error());
  out = *parsed;
  return {};
}
[[nodiscard]] inline Result<void> set_field(const std::string& text, std::string_view where,
                                            Bandwidth& out) {
  const auto parsed = parse_bandwidth(text, std::string(where));
  if (!parsed) return tl::unexpected(parsed.error());
  out = *parsed;
  return {};
}

}  // namespace orrery

namespace orrery::config {

template <>
struct FieldKindOf<Duration> {
  static constexpr FieldKind kKind{"string", "duration: 90d"};
};
template <>
struct FieldKindOf<Bandwidth> {
  static constexpr FieldKind kKind{"string", "bandwidth: 50GB/s"};
};

}  // namespace orrery::config
