// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/power/device_power.h"

#include <fmt/format.h>

#include <array>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::model {

Result<DevicePower> parse_power(std::string_view text, const std::string& where) {
  const std::size_t dash = text.find('-', 1);
  const auto first = parse_number(text.substr(0, dash));
  const auto second = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1));
  const bool numbers = first && second && *first >= 0 && *second > 0 && *first <= *second;
  if (!numbers)
    return fail(Errc::usage, where, in_quotes(text) + " is not the power of a device",
                "catalog, the maximum in W (700), or idle and computing in W (100-700)");
  return dash == std::string_view::npos ? power_of(*first) : DevicePower{*first, *second};
}

std::string format_power_unit(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 5> kPrefixes{"", "k", "M", "G", "T"};
  std::size_t by = 0;
  while (value >= 999.95 && by + 1 < kPrefixes.size()) {
    value /= 1000;
    ++by;
  }
  return fmt::format("{:.4g} {}{}", value, kPrefixes[by], unit);
}

}  // namespace orrery::model
