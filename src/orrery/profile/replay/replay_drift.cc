// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/replay/replay_drift.h"

#include <algorithm>
#include <cstdlib>

#include "orrery/core/statistics/statistics.h"

namespace orrery::profile {
namespace {

bool counts(const Event& event, bool device) {
  if (!event.timed()) return false;
  return device ? is_device_work(event.kind) : event.kind == Kind::op || event.kind == Kind::call;
}

}  // namespace

bool runs_on_device(const Profile& profile) {
  for (EventId e = 0; e < profile.events.size(); ++e)
    if (profile.events[e].timed() && is_device_work(profile.events[e].kind)) return true;
  return false;
}

EventTimes event_times(const Profile& profile) {
  EventTimes times;
  times.reserve(profile.events.size());
  for (EventId e = 0; e < profile.events.size(); ++e)
    times.emplace_back(profile.events[e].start, profile.events[e].end());
  return times;
}

ReplayDrift drift(const EventTimes& recorded, const Profile& now) {
  const bool device = runs_on_device(now);
  std::vector<EventId> events;
  Time first = kTimeMax, last{};
  for (EventId e = 0; e < now.events.size(); ++e) {
    if (!now.events[e].timed()) continue;
    first = std::min(first, recorded[e].first);
    last = std::max(last, recorded[e].second);
    if (counts(now.events[e], device)) events.push_back(e);
  }
  ReplayDrift found;
  if (events.empty()) return found;
  std::sort(events.begin(), events.end(), [&](EventId a, EventId b) {
    const Time x = recorded[a].first, y = recorded[b].first;
    return x != y ? x < y : a < b;
  });
  const std::int64_t far = std::max((last - first).count() / 1000, us(1).count());
  std::vector<std::int64_t> distances;
  long double sum = 0, signed_sum = 0;
  for (const EventId e : events) {
    const std::int64_t late = (now.events[e].start - recorded[e].first).count();
    const std::int64_t distance = std::abs(late);
    if (found.first_drifted == kNoEvent && distance > far) found.first_drifted = e;
    if (found.worst_event == kNoEvent || distance > found.worst.count()) {
      found.worst = Time(distance);
      found.worst_event = e;
    }
    sum += static_cast<long double>(distance);
    signed_sum += static_cast<long double>(late);
    distances.push_back(distance);
  }
  const auto count = static_cast<long double>(distances.size());
  found.count = distances.size();
  found.mean = Time(static_cast<std::int64_t>(sum / count));
  found.signed_mean = Time(static_cast<std::int64_t>(signed_sum / count));
  found.p95 = Time(quantile_lower(distances, 0.95));
  return found;
}

std::vector<double> busy_curve(const Profile& profile, Time from, Time to, Time bin) {
  if (to <= from || bin <= Time{}) return {};
  std::vector<std::pair<Time, Time>> runs;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    const bool kernel = event.kind == Kind::kernel || event.kind == Kind::device_other;
    if (event.timed() && kernel && event.end() > from && event.start < to)
      runs.emplace_back(std::max(event.start, from), std::min(event.end(), to));
  }
  std::sort(runs.begin(), runs.end());
  const auto bins = static_cast<std::size_t>(((to - from).count() + bin.count() - 1) / bin.count());
  std::vector<std::int64_t> busy(bins);
  Time done = from;
  for (const auto& [start, end] : runs) {
    for (Time at = std::max(start, done); at < end;) {
      const auto number = static_cast<std::size_t>((at - from).count() / bin.count());
      const Time next =
          std::min(end, from + Time(bin.count() * static_cast<std::int64_t>(number + 1)));
      busy[number] += (next - at).count();
      at = next;
    }
    done = std::max(done, end);
  }
  std::vector<double> shares(bins);
  for (std::size_t i = 0; i < bins; ++i) {
    const Time begin = from + Time(bin.count() * static_cast<std::int64_t>(i));
    const Time length = std::min(bin, to - begin);
    shares[i] = static_cast<double>(busy[i]) / static_cast<double>(length.count());
  }
  return shares;
}

}  // namespace orrery::profile
