// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/answer/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/units.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {

std::string out_of_date_text(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {} out of date: input files or the models changed; computed again",
                     plural(number, fmt::format("stored {}", what)), number == 1 ? "is" : "are");
}

std::string seconds_text(double seconds) {
  return format_time(Time(std::llround(std::min(seconds * 1e12, 9e18))));
}

Value seconds_value(double seconds) {
  return Value(std::round(seconds * 1e9 * 1e3) / 1e3).shown(seconds_text(seconds));
}

Time magnitude(Time time) { return time.count() < 0 ? Time{} - time : time; }

std::string signed_time(Time time) {
  return (time.count() < 0 ? "-" : "+") + format_time(magnitude(time));
}

std::string share(Time part, Time whole) {
  return whole.count() <= 0
             ? "-"
             : percent(static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

std::string relative_change(Time recorded, Time simulated) {
  if (recorded.count() <= 0) return "-";
  const double more =
      static_cast<double>((simulated - recorded).count()) / static_cast<double>(recorded.count());
  const std::string text = fmt::format("{:+.2f} %", more * 100);
  return text == "+0.00 %" || text == "-0.00 %" ? "0.00 %" : text;
}

std::string signed_share(double share) { return fmt::format("{:+.1f} %", share * 100); }

std::string error_text(double error) { return fmt::format("{:.1f} %", 100 * error); }

Value error_value(double error) { return Value(error).shown(error_text(error)); }

std::string scaled_text(double number, std::string_view unit) {
  constexpr std::string_view kPrefixes = "kMGTPEZY";
  std::size_t step = 0;
  for (; number >= 1000 && step < kPrefixes.size(); ++step) number /= 1000;
  return fmt::format("{:.4g} {}{}", number, step > 0 ? kPrefixes.substr(step - 1, 1) : "", unit);
}

std::string traffic_text(Bytes bytes) {
  return scaled_text(static_cast<double>(bytes.count()), "B");
}

Value text_or_null(const std::string& text, std::string none) {
  return text.empty() ? Value().shown(std::move(none)) : Value(text);
}

Value id_value(std::uint64_t number) { return Value(number).shown(std::to_string(number)); }

std::string memory_fit_text(MemoryFit fit, Style style) {
  switch (fit) {
    case MemoryFit::yes:
      return style.good(text(fit));
    case MemoryFit::uncertain:
      return style.warn(text(fit));
    case MemoryFit::no:
      break;
  }
  return style.bad(text(fit));
}

std::string spare_text(Bytes spare) {
  return spare >= Bytes{} ? gigabytes(spare.count()) + " to spare"
                          : gigabytes(-spare.count()) + " too much";
}

std::string difference_interval_text(const analysis::DifferenceInterval& band) {
  std::string text = fmt::format("{} to {} (80 % prediction interval of the difference); ",
                                 signed_time(band.lower), signed_time(band.upper));
  text += band.contains_zero() ? "it includes zero: either step may be shorter"
                               : "it excludes zero: the models identify the shorter step";
  if (band.unknown > Time{})
    text += fmt::format("; {} of what differs has no known error and counts as {}",
                        format_time(band.unknown), analysis::unknown_error_text());
  return text;
}

void write_step_interval(JsonWriter& json, const analysis::StepInterval& interval) {
  json.begin_object().nanoseconds("low", interval.lower).nanoseconds("high", interval.upper);
  json.nanoseconds("unknown", interval.unknown).end_object();
}

void write_difference_interval(JsonWriter& json, const analysis::DifferenceInterval& band) {
  json.begin_object().nanoseconds("low", band.lower).nanoseconds("high", band.upper);
  json.nanoseconds("unknown", band.unknown)
      .field("contains_zero", band.contains_zero())
      .end_object();
}

std::string rank_numbers_text(std::span<const std::uint32_t> ranks) {
  const std::string text = format_ranks(ranks);
  return text.substr(text.find(' ') + 1);
}

std::string estimate_error_text(double worst, bool all) {
  // Plans closer to each other than this error are ranked by chance.
  constexpr double kFar = 0.02;
  const std::string text =
      fmt::format("differ from the simulations by at most {:.2f} %.", std::abs(worst) * 100);
  if (all || std::abs(worst) <= kFar) return text;
  return text + "\nThis error is large: --method simulate simulates all of them, but takes longer.";
}

}  // namespace orrery::report
