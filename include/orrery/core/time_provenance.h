// SPDX-License-Identifier: Apache-2.0
//
// Provenance of a predicted time: what it is derived from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/quantity.h"

namespace orrery {

/// From the most to the least certain. A time derived from several has the least certain of them.
enum class TimeProvenance : std::uint8_t {
  recorded,      ///< measured
  scaled,        ///< measured, times a factor: from the user, or a ratio of models
  interpolated,  ///< predicted by a model within its range of measurements or training
  extrapolated,  ///< predicted by a model beyond that range
  formula,       ///< derived from rules and data sheets; no known error
  bound          ///< a lower bound: some effects are not modeled at all
};
inline constexpr std::size_t kTimeProvenances = static_cast<std::size_t>(TimeProvenance::bound) + 1;
/// "recorded", "scaled" …
[[nodiscard]] std::string_view name(TimeProvenance provenance);
/// The provenance with this name; empty for any other text.
[[nodiscard]] std::optional<TimeProvenance> time_provenance_named(std::string_view name);

/// The part of a time with each provenance.
using TimeByProvenance = std::array<Time, kTimeProvenances>;
/// "interpolated 71.2 %, scaled 28.8 %": shares of the sum, in descending order, without those
/// below 0.05 %. Empty if the sum is 0.
[[nodiscard]] std::string provenance_text(const TimeByProvenance& time_by_provenance);

}  // namespace orrery
