// SPDX-License-Identifier: Apache-2.0
//
// Durations of jobs and times between failures: hours to years, which exceed the range of Time.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery {

/// In seconds. A double: sums of such times are not compared for equality.
struct Duration {
  double seconds = 0;
};

inline constexpr double kSecondsPerHour = 3600, kSecondsPerDay = 86400;

/// "90 d", "3.1 h", "10 min", "2.8 s", "5 y" (of 365 days). The space is optional; 0 needs no unit.
/// Errc: config_type, config_unit, config_range (negative, too large), with `where`.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text, std::string where = {});

/// "3.094 h", "54 days": four significant digits, in the largest unit up to days that is reached.
[[nodiscard]] std::string format_duration(double seconds);

/// Parses back to the same value: "7200s".
[[nodiscard]] std::string exact_duration(Duration duration);

}  // namespace orrery
