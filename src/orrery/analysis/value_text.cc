// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::analysis {

namespace {

constexpr std::size_t kLongestName = 120;  // bytes

std::int64_t clamped(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(number, kMost));
}

}  // namespace

std::string share_text(double share) {
  if (share == 0) return "0 %";
  if (share == 1) return "100 %";
  const double percent = share * 100;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  if (share < 1 && percent > 99.9) return "99.9 %";
  return fmt::format("{:.1f} %", percent);
}

double ratio(Time part, Time whole) {
  return whole > Time{} ? static_cast<double>(part.count()) / static_cast<double>(whole.count())
                        : 0.0;
}

std::string time_and_share(Time part, Time whole) {
  return format_time(part) + " (" + share_text(ratio(part, whole)) + ")";
}

std::string rate_text(double per_second, std::string_view what) {
  if (per_second < 1000 || !(per_second < 1e18))
    return fmt::format("{:.4g} {}/s", per_second, what);
  return fmt::format("{} {}/s", format_count(std::llround(per_second)), what);
}

std::string interval_text(Time middle, Time lower, Time upper) {
  constexpr std::array kUnits = {1e12, 1e9, 1e6, 1e3, 1.0};
  constexpr std::array kNames = {" s", " ms", " us", " ns", " ps"};
  const std::string text = format_time(middle);
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && !text.ends_with(kNames[unit])) ++unit;
  // Enough decimals that one unit of the last is at most an eighth of the interval.
  double width = std::abs(static_cast<double>((upper - lower).count())) / kUnits[unit] / 8;
  int places = 0;
  for (; places < 3 && width > 0 && width < 1; ++places) width *= 10;
  return fmt::format("({:.{}f} … {:.{}f})", static_cast<double>(lower.count()) / kUnits[unit],
                     places, static_cast<double>(upper.count()) / kUnits[unit], places);
}

std::string error_interval_text(const result::ErrorInterval& off, Time time) {
  const double whole = static_cast<double>(std::max<std::int64_t>(time.count(), 1));
  const double lower = 100 * static_cast<double>(off.lower.count()) / whole;
  const double upper = 100 * static_cast<double>(off.upper.count()) / whole;
  const int places = std::max(std::abs(lower), std::abs(upper)) < 9.95 ? 1 : 0;
  return fmt::format("{:+.{}f} to {:+.{}f} %", lower, places, upper, places);
}

std::string quoted(std::string_view name) {
  return fmt::format("\"{}\"", truncate(name, kLongestName));
}

std::string count(std::uint64_t number) { return format_count(clamped(number)); }

std::string plural(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", count(number), noun, number == 1 ? "" : "s");
}

std::string bytes_text(std::uint64_t bytes) { return format_bytes(Bytes(clamped(bytes))); }

bool communicates(result::SpanKind kind) {
  using result::SpanKind;
  return kind == SpanKind::collective || kind == SpanKind::send || kind == SpanKind::receive;
}

std::string node_label(const result::Run& run, const result::Span& span) {
  const std::string& name = run.names[span.name];
  if (name.empty()) return fmt::format("node {}", span.node);
  return fmt::format("node {} {}", span.node, quoted(name));
}

std::string group_label(const result::Run& run, std::uint32_t group) {
  if (group >= run.groups.size()) return "an unknown group";
  const result::Group& known = run.groups[group];
  if (known.name.empty() && known.ranks.empty()) return "all ranks";
  if (known.name.empty()) return fmt::format("a group of {}", plural(known.size, "rank"));
  return "group " + quoted(known.name);
}

}  // namespace orrery::analysis
