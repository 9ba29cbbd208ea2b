// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/recording_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::profile {
namespace {

bool is_timed_work(const Event& event) {
  return event.timed() && is_device_work(event.kind) && event.detail != kNone;
}

/// Nodes of one launched graph have the correlation of the launch.
bool is_same_launch(const Profile& profile, EventId a, EventId b) {
  const std::uint64_t correlation = profile.work(a).correlation;
  return correlation != kNoId && correlation == profile.work(b).correlation;
}

void cut_lane(Profile& profile, std::uint32_t lane, Findings& findings) {
  const auto order = profile.in_order(lane);
  EventId next = kNoEvent;
  // From the last to the first, so that `next` has its final end.
  for (std::size_t i = order.size(); i-- > 0;) {
    Event& event = profile.events[order[i]];
    if (!is_timed_work(event)) continue;
    if (next != kNoEvent) {
      const Event& after = profile.events[next];
      if (event.start < after.start && event.end() > after.end() &&
          !is_same_launch(profile, order[i], next)) {
        event.duration = after.start - event.start;
        findings.add(FindingCode::duration_cut, fmt::format("{}: \"{}\"", profile.where,
                                                            profile.name(order[i]).substr(0, 80)));
      }
    }
    next = order[i];
  }
}

bool has_device_work(const Profile& profile) {
  for (std::size_t e = 0; e < profile.events.size(); ++e)
    if (is_timed_work(profile.events[e])) return true;
  return false;
}

}  // namespace

void cut_long_durations(Profile& profile, Findings& findings) {
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane)
    if (profile.lanes[lane].device) cut_lane(profile, lane, findings);
}

std::vector<Iteration> unrecorded_iterations(const Profile& profile) {
  const std::vector<Iteration> all = iterations(profile);
  // By iteration: works that begin to run in it minus those that ended before it, and launches.
  std::vector<std::int64_t> running(all.size() + 1, 0);
  std::vector<bool> launches(all.size() + 1, false);
  const auto from = [&](Time at) {  // the first iteration that ends after `at`
    return static_cast<std::size_t>(
        std::upper_bound(all.begin(), all.end(), at,
                         [](Time time, const Iteration& one) { return time < one.end; }) -
        all.begin());
  };
  const auto until = [&](Time at) {  // the first iteration that starts at `at` or later
    return static_cast<std::size_t>(
        std::lower_bound(all.begin(), all.end(), at,
                         [](const Iteration& one, Time time) { return one.start < time; }) -
        all.begin());
  };
  for (std::size_t e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (!is_timed_work(event)) continue;
    if (const std::size_t first = from(event.start), last = until(event.end()); first < last) {
      ++running[first];
      --running[last];
    }
    const EventId call = profile.work(static_cast<EventId>(e)).call;
    if (call != kNoEvent) launches[iteration_at(all, profile.events[call].start)] = true;
  }
  std::vector<Iteration> missing;
  std::int64_t open = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    open += running[i];
    if (open == 0 && !launches[i]) missing.push_back(all[i]);
  }
  return missing.size() == all.size() ? std::vector<Iteration>() : missing;
}

void check_device_work(const Profile& profile, Findings& findings) {
  bool host = false;
  for (std::size_t e = 0; e < profile.events.size() && !host; ++e)
    host = profile.events[e].timed() && is_host(profile.events[e].kind);
  // A machine without a device has none to record.
  if (host && !profile.devices.empty() && !has_device_work(profile))
    findings.add(FindingCode::no_device_work, profile.where);
  for (const Iteration& one : unrecorded_iterations(profile))
    findings.add(FindingCode::step_not_recorded,
                 fmt::format("{}: step {}", profile.where, one.number));
}

}  // namespace orrery::profile
