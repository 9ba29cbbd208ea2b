// SPDX-License-Identifier: Apache-2.0
//
// A sweep over the intervals of all streams.
#include "orrery/profile/inspection/activity.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace orrery::profile {
namespace {

constexpr std::size_t kUses = 3;

struct Edge {
  Time at;
  std::int8_t change;  // +1 begins, -1 ends
  DeviceUse use;
};

void count(Breakdown& sum, const std::array<std::int64_t, kUses>& open, Time length) {
  const bool compute = open[static_cast<std::size_t>(DeviceUse::compute)] > 0;
  const bool comm = open[static_cast<std::size_t>(DeviceUse::comm)] > 0;
  const bool copy = open[static_cast<std::size_t>(DeviceUse::copy)] > 0;
  if (compute && comm) {
    sum.overlapped += length;
  } else if (compute) {
    sum.compute_only += length;
  } else if (comm) {
    sum.comm_only += length;
  } else if (copy) {
    sum.copy_only += length;
  } else {
    sum.idle += length;
  }
}

}  // namespace

Activity::Activity(const Profile& profile) {
  for (EventId e = 0; e < profile.events.size(); ++e) {
    if (profile.events[e].timed() && is_device_work(profile.events[e].kind)) on_device_ = true;
  }
  if (on_device_) {
    add_device_work(profile);
  } else {
    for (std::uint32_t l = 0; l < profile.lanes.size(); ++l) add_thread(profile, l);
  }
  std::stable_sort(
      intervals_.begin(), intervals_.end(),
      [](const ActivityInterval& a, const ActivityInterval& b) { return a.start < b.start; });
  latest_end_.reserve(intervals_.size());
  for (const ActivityInterval& s : intervals_)
    latest_end_.push_back(latest_end_.empty() ? s.end : std::max(latest_end_.back(), s.end));
}

void Activity::add_device_work(const Profile& profile) {
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (!event.timed() || !is_device_work(event.kind)) continue;
    intervals_.push_back(
        {event.start, event.end(), launch_of(profile, e), device_use(profile, e), e});
  }
}

void Activity::add_thread(const Profile& profile, std::uint32_t lane) {
  // Uses outermost communications, and innermost operators outside of them.
  const auto order = profile.in_order(lane);
  std::unordered_set<EventId> in_comm, with_operators;
  for (const EventId e : order) {
    const EventId parent = profile.events[e].parent;
    const bool inside = parent != kNoEvent && in_comm.count(parent) > 0;
    if (inside || profile.comm(e) != nullptr) in_comm.insert(e);
    if (profile.events[e].kind != Kind::op) continue;
    for (EventId above = parent; above != kNoEvent && with_operators.insert(above).second;)
      above = profile.events[above].parent;
  }
  for (const EventId e : order) {
    const Event& event = profile.events[e];
    if (!event.timed()) continue;
    const bool inside = event.parent != kNoEvent && in_comm.count(event.parent) > 0;
    if (in_comm.count(e) > 0) {
      if (!inside)
        intervals_.push_back({event.start, event.end(), event.start, DeviceUse::comm, e});
    } else if (event.kind == Kind::op && with_operators.count(e) == 0) {
      intervals_.push_back({event.start, event.end(), event.start, DeviceUse::compute, e});
    }
  }
}

Time Activity::launch_of(const Profile& profile, EventId work) {
  const Time start = profile.events[work].start;
  const EventId call = profile.work(work).call;
  return call == kNoEvent ? start : std::min(start, profile.events[call].start);
}

std::size_t Activity::first_after(Time from) const {
  // All intervals before it end by `from`: latest_end_ ascends.
  return static_cast<std::size_t>(std::upper_bound(latest_end_.begin(), latest_end_.end(), from) -
                                  latest_end_.begin());
}

std::vector<IdleSpan> Activity::idle_spans(Time from, Time to) const {
  std::vector<IdleSpan> spans;
  if (!on_device_) return spans;
  Time busy_until = from;
  EventId last = kNoEvent;
  for (std::size_t i = first_after(from); i < intervals_.size() && intervals_[i].start < to; ++i) {
    const ActivityInterval& s = intervals_[i];
    if (s.end <= from) continue;
    if (s.start > busy_until) spans.push_back({busy_until, s.start, last, s.event});
    if (last == kNoEvent || s.end > busy_until) last = s.event;
    busy_until = std::max(busy_until, s.end);
  }
  if (busy_until < to) spans.push_back({busy_until, to, last, kNoEvent});
  return spans;
}

Breakdown Activity::breakdown(Time from, Time to) const {
  Breakdown sum;
  sum.length = to - from;
  std::vector<Edge> edges;
  Time busy_until = from;
  for (std::size_t i = first_after(from); i < intervals_.size() && intervals_[i].start < to; ++i) {
    const ActivityInterval& s = intervals_[i];
    if (s.end <= from) continue;
    edges.push_back({std::max(s.start, from), +1, s.use});
    edges.push_back({std::min(s.end, to), -1, s.use});
    if (s.start > busy_until)
      sum.host_bound += std::max(Time{}, std::min(s.launched, s.start) - busy_until);
    busy_until = std::max(busy_until, s.end);
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& a, const Edge& b) { return a.at < b.at; });
  std::array<std::int64_t, kUses> open{};
  Time now = from;
  for (const Edge& edge : edges) {
    count(sum, open, edge.at - now);
    now = edge.at;
    open[static_cast<std::size_t>(edge.use)] += edge.change;
  }
  count(sum, open, to - now);
  return sum;
}

DeviceUse Activity::device_use(const Profile& profile, EventId e) {
  const Event& event = profile.events[e];
  if (event.kind == Kind::memcpy || event.kind == Kind::memset) return DeviceUse::copy;
  if (profile.comm(e) != nullptr || (is_device_work(event.kind) && is_comm_kernel(profile.name(e))))
    return DeviceUse::comm;
  return DeviceUse::compute;
}

Breakdown breakdown(const Profile& profile, Time from, Time to) {
  return Activity(profile).breakdown(from, to);
}

}  // namespace orrery::profile
