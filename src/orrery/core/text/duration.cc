// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery {
namespace {

struct DurationUnit {
  std::string_view name;
  double seconds;
};
constexpr std::array kDurationUnits = {
    DurationUnit{"ms", 1e-3},
    DurationUnit{"s", 1},
    DurationUnit{"min", 60},
    DurationUnit{"h", kSecondsPerHour},
    DurationUnit{"d", kSecondsPerDay},
    DurationUnit{"day", kSecondsPerDay},
    DurationUnit{"days", kSecondsPerDay},
    DurationUnit{"y", 365 * kSecondsPerDay},
};
constexpr double kLongest = 1e6 * 365 * kSecondsPerDay;

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text, std::string where) {
  const std::string_view body = without_spaces(text);
  double number = 0;
  const auto [end, status] = std::from_chars(body.data(), body.data() + body.size(), number);
  if (status != std::errc() || !std::isfinite(number))
    return fail(Errc::config_type, std::move(where),
                in_quotes(text, 40) + " is not a number with a unit", "write for example \"90 d\"");
  const std::string_view unit =
      without_spaces(body.substr(static_cast<std::size_t>(end - body.data())));
  double factor = unit.empty() && number == 0 ? 1 : 0;
  for (const DurationUnit& known : kDurationUnits)
    if (known.name == unit) factor = known.seconds;
  if (factor == 0)
    return fail(Errc::config_unit, std::move(where),
                unit.empty() ? in_quotes(text, 40) + " has no unit"
                             : in_quotes(unit, 40) + " is not a unit of a duration",
                "use one of ms, s, min, h, d, y");
  const double seconds = number * factor;
  if (number < 0)
    return fail(Errc::config_range, std::move(where), in_quotes(text, 40) + " is negative");
  if (!(seconds <= kLongest))
    return fail(Errc::config_range, std::move(where), in_quotes(text, 40) + " is too large");
  return Duration{seconds};
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "never";
  if (seconds >= 1e7 * kSecondsPerDay) return fmt::format("{:.4g} days", seconds / kSecondsPerDay);
  const auto text = [](double number, std::string_view unit) {
    const int decimals = number < 9.9995 ? 3 : number < 99.995 ? 2 : number < 999.95 ? 1 : 0;
    std::string digits = fmt::format("{:.{}f}", number, decimals);
    if (digits.find('.') != std::string::npos) {
      while (digits.back() == '0') digits.pop_back();
      if (digits.back() == '.') digits.pop_back();
    }
    return fmt::format("{} {}", digits, unit);
  };
  if (seconds >= 2 * kSecondsPerDay) return text(seconds / kSecondsPerDay, "days");
  if (seconds >= 2 * kSecondsPerHour) return text(seconds / kSecondsPerHour, "h");
  if (seconds >= 120) return text(seconds / 60, "min");
  if (seconds >= 1) return text(seconds, "s");
  return format_time(Time(static_cast<std::int64_t>(std::llround(seconds * 1e12))));
}

std::string exact_duration(Duration duration) { return fmt::format("{}s", duration.seconds); }

}  // namespace orrery
