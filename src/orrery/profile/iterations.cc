// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/iterations.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace orrery::profile {

std::int64_t iteration_number(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix)) return -1;
  const std::string_view digits = name.substr(kPrefix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 0) return -1;
  return number;
}

namespace {

/// Events of the host, or ranges of a device, that are iterations.
std::vector<Iteration> find_iterations(const Profile& profile, bool on_device) {
  std::vector<Iteration> found;
  for (std::size_t e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    const bool of_host = event.kind == Kind::annotation || event.kind == Kind::op;
    if (!event.timed() || (on_device ? event.kind != Kind::device_range : !of_host)) continue;
    const std::int64_t number = iteration_number(profile.string(event.name));
    if (number < 0) continue;
    found.push_back({static_cast<EventId>(e), number, event.start, event.end()});
  }
  std::stable_sort(found.begin(), found.end(), [](const Iteration& a, const Iteration& b) {
    return a.start != b.start ? a.start < b.start : a.number < b.number;
  });
  // An iteration recorded twice (as an operator and as an annotation) counts once.
  const auto twice = [](const Iteration& a, const Iteration& b) {
    return a.number == b.number && b.start < a.end;
  };
  found.erase(std::unique(found.begin(), found.end(), twice), found.end());
  return found;
}

}  // namespace

std::vector<Iteration> iterations(const Profile& profile) {
  std::vector<Iteration> found = find_iterations(profile, false);
  return found.empty() ? find_iterations(profile, true) : found;
}

std::size_t iteration_at(const std::vector<Iteration>& iterations, Time at) {
  const auto after =
      std::upper_bound(iterations.begin(), iterations.end(), at,
                       [](Time time, const Iteration& one) { return time < one.start; });
  if (after == iterations.begin() || at >= std::prev(after)->end) return iterations.size();
  return static_cast<std::size_t>(after - iterations.begin()) - 1;
}

}  // namespace orrery::profile
