// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "orrery/core/text/units.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

std::string count(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return format_count(static_cast<std::int64_t>(std::min(number, kMost)));
}

std::string plural(std::uint64_t number, std::string_view word) {
  return fmt::format("{} {}{}", count(number), word, number == 1 ? "" : "s");
}

std::string out_of_date_text(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {} out of date: input files or the models changed; computed again",
                     plural(number, fmt::format("stored {}", what)), number == 1 ? "is" : "are");
}

std::string seconds_text(double seconds) {
  return format_time(Time(std::llround(std::min(seconds * 1e12, 9e18))));
}

Time magnitude(Time time) { return time.count() < 0 ? Time{} - time : time; }

std::string signed_time(Time time) {
  return (time.count() < 0 ? "-" : "+") + format_time(magnitude(time));
}

std::string share(Time part, Time whole) {
  return whole.count() <= 0 ? "-"
                            : report::percent(static_cast<double>(part.count()) /
                                              static_cast<double>(whole.count()));
}

std::string relative_change(Time recorded, Time simulated) {
  if (recorded.count() <= 0) return "-";
  const double more =
      static_cast<double>((simulated - recorded).count()) / static_cast<double>(recorded.count());
  const std::string text = fmt::format("{:+.2f} %", more * 100);
  return text == "+0.00 %" || text == "-0.00 %" ? "0.00 %" : text;
}

std::string difference_interval_text(const analysis::DifferenceInterval& band) {
  std::string text = fmt::format("80 % of true differences are {} to {}: ", signed_time(band.lower),
                                 signed_time(band.upper));
  text += band.contains_zero() ? "this one is within the band, which step is shorter cannot be told"
                               : "which step is shorter can be told";
  if (band.unknown > Time{})
    text += fmt::format(
        "; the two differ by {} more in what nobody knows the error of, which the band leaves out",
        format_time(band.unknown));
  return text;
}

std::string estimate_error_text(double worst, bool all) {
  // Plans that are nearer to each other than that would be told apart by chance.
  constexpr double kFar = 0.02;
  const std::string text =
      fmt::format("{:.2f} % off the simulations at most.\n", std::abs(worst) * 100);
  return all || std::abs(worst) <= kFar
             ? text
             : text +
                   "That is far: --gear simulate takes longer, and asks for "
                   "all of them.\n";
}

}  // namespace orrery::present
