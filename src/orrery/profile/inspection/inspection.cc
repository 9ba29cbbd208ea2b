// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/inspection.h"

#include <algorithm>
#include <map>
#include <set>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/inspection/activity.h"
#include "orrery/profile/recording_checks.h"

namespace orrery::profile {
namespace {

/// Sorts by total time, descending; equal times stay ordered by name.
template <class T>
void sort_by_total(std::vector<T>& uses) {
  std::stable_sort(uses.begin(), uses.end(),
                   [](const T& a, const T& b) { return a.total > b.total; });
}

/// Own time of each host event: its duration without children. Never negative, even if children
/// overlap or end after the parent.
std::vector<Time> own_times(const Profile& profile) {
  std::vector<Time> own(profile.events.size());
  for (EventId e = 0; e < profile.events.size(); ++e) own[e] = profile.events[e].duration;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (!event.timed() || event.parent == kNoEvent || !is_host(event.kind)) continue;
    own[event.parent] -= std::min(event.end(), profile.events[event.parent].end()) - event.start;
  }
  for (Time& t : own) t = std::max(t, Time{});
  return own;
}

std::vector<NameSummary> by_name(const Profile& profile, bool device) {
  const std::vector<Time> own = device ? std::vector<Time>{} : own_times(profile);
  std::map<std::pair<std::string_view, Kind>, NameSummary> uses;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (device ? !is_device_work(event.kind) : event.kind != Kind::op) continue;
    NameSummary& use = uses[{profile.name(e), event.kind}];
    const Time time = device ? event.duration : own[e];
    ++use.count;
    use.total = saturating_sum(use.total, time);
    use.longest = std::max(use.longest, time);
  }
  std::vector<NameSummary> list;
  list.reserve(uses.size());
  for (auto& [key, use] : uses) {
    use.name = key.first;
    use.kind = key.second;
    list.push_back(std::move(use));
  }
  sort_by_total(list);
  return list;
}

std::vector<NameSummary> by_launching_operator(const Profile& profile) {
  std::map<std::string_view, NameSummary> uses;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (!is_device_work(event.kind)) continue;
    const Work& work = profile.work(e);
    std::string_view name;
    if (work.op != kNoEvent) name = profile.name(work.op);
    // A compiled program launches its work outside of operators; its own operations are recorded.
    if (work.captured != kNone && (work.op == kNoEvent || profile.events[work.op].kind != Kind::op))
      name = profile.string(profile.captured[work.captured].name);
    NameSummary& use = uses[name];
    ++use.count;
    use.total = saturating_sum(use.total, event.duration);
    use.longest = std::max(use.longest, event.duration);
  }
  std::vector<NameSummary> list;
  for (auto& [name, use] : uses) {
    use.name = name;
    use.kind = Kind::op;
    list.push_back(std::move(use));
  }
  sort_by_total(list);
  return list;
}

/// The events that contain a communication's time: its kernels, or without kernels the operator.
std::vector<EventId> communications(const Profile& profile, bool on_device) {
  std::vector<EventId> list;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (on_device
            ? is_device_work(event.kind) && Activity::device_use(profile, e) == DeviceUse::comm
            : profile.comm(e) != nullptr && is_host(event.kind) &&
                  profile.comm(e)->kind != CommKind::wait)
      list.push_back(e);
  }
  if (on_device) return list;
  // Of nested operators of one communication, only the innermost counts.
  std::vector<bool> inside(profile.events.size());
  for (const EventId e : list) {
    if (profile.events[e].parent != kNoEvent) inside[profile.events[e].parent] = true;
  }
  std::erase_if(list, [&](EventId e) { return inside[e]; });
  return list;
}

std::vector<CommSummary> comm_uses(const Profile& profile, bool on_device) {
  std::map<std::pair<std::string, CommKind>, CommSummary> uses;
  for (const EventId e : communications(profile, on_device)) {
    const Comm* comm = profile.comm(e);
    const CommKind kind = comm != nullptr && comm->kind != CommKind::unknown
                              ? comm->kind
                              : comm_kind_of_name(profile.name(e));
    std::string group;
    if (comm != nullptr && comm->group < profile.groups.size()) {
      const Group& g = profile.groups[comm->group];
      group = g.description.empty() || g.description == "undefined" ? g.name : g.description;
    }
    CommSummary& use = uses[{group, kind}];
    const Time time = profile.events[e].duration;
    const std::int64_t bytes = comm == nullptr ? -1 : comm->complete_bytes(kind);
    if (use.count == 0 || time < use.shortest) use.shortest = time;
    ++use.count;
    use.total = saturating_sum(use.total, time);
    if (bytes < 0 || __builtin_add_overflow(use.bytes, bytes, &use.bytes)) ++use.without_bytes;
  }
  std::vector<CommSummary> list;
  for (auto& [key, use] : uses) {
    use.group = key.first;
    use.kind = key.second;
    list.push_back(std::move(use));
  }
  sort_by_total(list);
  return list;
}

}  // namespace

Inspection inspect(const Profile& profile) {
  Inspection result;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    ++result.events[static_cast<std::size_t>(event.kind)];
    if (!event.timed()) ++result.untimed;
  }
  const auto [first, last] = recorded_extent(profile);
  result.first = first;
  result.last = last;
  for (std::uint32_t l = 0; l < profile.lanes.size(); ++l) {
    if (profile.in_order(l).empty()) continue;
    ++(profile.lanes[l].device ? result.streams : result.threads);
  }
  const Activity activity(profile);
  result.on_device = activity.on_device();
  std::set<EventId> unrecorded;
  for (const Iteration& one : unrecorded_iterations(profile)) unrecorded.insert(one.event);
  result.whole = activity.breakdown(result.first, result.last);
  for (const Iteration& iteration : iterations(profile))
    if (!unrecorded.contains(iteration.event))
      result.steps.push_back({iteration, activity.breakdown(iteration.start, iteration.end)});
  result.device = by_name(profile, true);
  result.host = by_name(profile, false);
  result.launched = by_launching_operator(profile);
  result.comms = comm_uses(profile, result.on_device);
  return result;
}

}  // namespace orrery::profile
