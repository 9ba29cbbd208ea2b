// SPDX-License-Identifier: Apache-2.0
//
// What a time that is told stands on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/quantity.h"

namespace orrery {

/// From what is surest to what is least sure. A time that stands on several has the last of them.
enum class TimeProvenance : std::uint8_t {
  recorded,      ///< it was measured so
  scaled,        ///< measured, times a factor: one that was asked for, or a ratio of models
  interpolated,  ///< a model says it, within what it was measured or trained on
  extrapolated,  ///< … beyond that
  formula,       ///< rules and data sheets say it; how far off that is nobody knows
  bound          ///< as if something were not there at all
};
inline constexpr std::size_t kTimeProvenances = 6;
/// "recorded", "scaled" …
[[nodiscard]] std::string_view name(TimeProvenance provenance);
/// The footing of that name, if it is one.
[[nodiscard]] std::optional<TimeProvenance> time_provenance_named(std::string_view name);

/// How much of a time stands on each.
using TimeByProvenance = std::array<Time, kTimeProvenances>;
/// "interpolated 71.2 %, scaled 28.8 %": shares of their sum, the largest first, without those
/// below a twentieth of a percent. Empty where nothing stands on anything.
[[nodiscard]] std::string provenance_text(const TimeByProvenance& time_by_provenance);

}  // namespace orrery
