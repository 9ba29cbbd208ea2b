// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/curves/protocol_changes.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace orrery::model {
namespace {

/// A point, and the slope of the line to its neighbor with the same protocol.
struct Side {
  SizedTime at;
  double slope = 0;  ///< us per byte

  [[nodiscard]] double operator()(double bytes) const {
    return at.us + slope * (bytes - static_cast<double>(at.bytes));
  }
};

double slope_of(const SizedTime& from, const SizedTime& to) {
  return std::max(0.0, (to.us - from.us) / static_cast<double>(to.bytes - from.bytes));
}

/// The largest size that runs the same protocol as `from`; `to` runs another one.
std::int64_t last_alike(std::int64_t from, std::int64_t to, const ProtocolAt& runs_at) {
  const std::optional<int> first = runs_at(from);
  while (to - from > 1) {
    const std::int64_t middle = from + (to - from) / 2;
    (runs_at(middle) == first ? from : to) = middle;
  }
  return from;
}

/// The width of a jump, in bytes: small, but well above the rounding of doubles.
std::int64_t width_at(std::int64_t bytes) { return std::max<std::int64_t>(bytes >> 20, 1); }

/// The points between two points if the protocol changes after `last`: the ends of both lines, or
/// their intersection.
std::vector<SizedTime> between(const Side& below, const Side& above, std::int64_t last) {
  const auto within = [&](double us) { return std::clamp(us, below.at.us, above.at.us); };
  const double end = within(below(static_cast<double>(last)));
  const std::int64_t next = last + width_at(last);
  const double begin = within(above(static_cast<double>(next)));
  std::vector<SizedTime> found;
  if (end <= begin) {
    found = {{last, end}, {next, begin}};
  } else if (below.slope > above.slope) {
    const double crossing =
        std::clamp((above(0) - below(0)) / (below.slope - above.slope),
                   static_cast<double>(below.at.bytes), static_cast<double>(last));
    found = {{static_cast<std::int64_t>(crossing), within(below(crossing))}};
  }
  std::erase_if(found, [&](const SizedTime& one) {
    return one.bytes <= below.at.bytes || one.bytes >= above.at.bytes;
  });
  return found;
}

}  // namespace

SizeCurve curve_with_protocol_changes(std::span<const SizedTime> points,
                                      const ProtocolAt& runs_at) {
  if (!runs_at || points.size() < 4) return curve_through(points);
  std::vector<std::optional<int>> runs;
  for (const SizedTime& point : points) runs.push_back(runs_at(point.bytes));
  std::vector<SizedTime> all(points.begin(), points.begin() + 1);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const SizedTime &from = points[i - 1], &to = points[i];
    const bool changes = i > 1 && i + 1 < points.size() && runs[i - 1] && runs[i] &&
                         runs[i - 1] != runs[i] && runs[i - 2] == runs[i - 1] &&
                         runs[i + 1] == runs[i] && from.us <= to.us;
    if (changes) {
      const std::int64_t last = last_alike(from.bytes, to.bytes, runs_at);
      const Side below{from, slope_of(points[i - 2], from)}, above{to, slope_of(to, points[i + 1])};
      if (runs_at(last + 1) == runs[i])
        for (const SizedTime& one : between(below, above, last)) all.push_back(one);
    }
    all.push_back(to);
  }
  return curve_through(all);
}

}  // namespace orrery::model
