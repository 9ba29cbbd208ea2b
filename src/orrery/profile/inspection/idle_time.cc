// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/idle_time.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/inspection/activity.h"

namespace orrery::profile {

void IdleTime::add(Time length) {
  ++spans;
  total = saturating_sum(total, length);
  longest = std::max(longest, length);
}

namespace {

/// Calls that return only after the device has worked: by their name, or because they returned
/// after the end of the work that they launched.
class SynchronizingCalls {
 public:
  explicit SynchronizingCalls(const Profile& profile) : calls_(profile.lanes.size()) {
    for (EventId e = 0; e < profile.events.size(); ++e) {
      const Event& event = profile.events[e];
      if (!event.timed()) continue;
      if (event.kind == Kind::call) {
        if (profile.name(e).find("Synchronize") != std::string_view::npos)
          calls_[event.lane].emplace_back(event.start, event.end());
      } else if (is_device_work(event.kind) && profile.work(e).call != kNoEvent) {
        const Event& call = profile.events[profile.work(e).call];
        if (call.timed() && call.end() >= event.end())
          calls_[call.lane].emplace_back(call.start, call.end());
      }
    }
    for (auto& of_lane : calls_) std::sort(of_lane.begin(), of_lane.end());
  }

  /// Whether the thread was in one of them at this time. O(log calls)
  [[nodiscard]] bool covers(std::uint32_t lane, Time at) const {
    const auto& calls = calls_[lane];
    const auto after = std::upper_bound(calls.begin(), calls.end(), std::pair(at, kTimeMax));
    return after != calls.begin() && std::prev(after)->second >= at;
  }

 private:
  std::vector<std::vector<std::pair<Time, Time>>> calls_;  // by lane; start and end
};

/// A time in which the device waited for a thread.
struct HostSpan {
  Time from{};
  Time to{};
};

/// Sums the idle time of a thread by its innermost event.
class HostWorkSum {
 public:
  explicit HostWorkSum(const Profile& profile) : profile_(profile) {}

  void add_thread(std::uint32_t lane, const std::vector<HostSpan>& spans) {
    spans_ = &spans;
    next_ = 0;
    Time now{};
    std::vector<EventId> open;
    const auto until = [&](Time to) {
      add(now, to, open.empty() ? kNoEvent : open.back());
      now = std::max(now, to);
    };
    now = spans.front().from;
    for (const EventId e : profile_.in_order(lane)) {
      const Event& event = profile_.events[e];
      if (!event.timed()) continue;
      for (; !open.empty() && profile_.events[open.back()].end() <= event.start; open.pop_back())
        until(profile_.events[open.back()].end());
      until(event.start);
      open.push_back(e);
    }
    for (; !open.empty(); open.pop_back()) until(profile_.events[open.back()].end());
    until(spans.back().to);
  }

  [[nodiscard]] std::vector<HostWork> take() {
    std::vector<HostWork> list;
    for (const auto& [name, work] : by_name_) {
      list.push_back(work);
      list.back().name = name;
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const HostWork& a, const HostWork& b) { return a.total > b.total; });
    return list;
  }

 private:
  void add(Time from, Time to, EventId event) {
    if (to <= from) return;
    while (next_ < spans_->size() && (*spans_)[next_].to <= from) ++next_;
    Time total{};
    for (std::size_t s = next_; s < spans_->size() && (*spans_)[s].from < to; ++s)
      total += std::min((*spans_)[s].to, to) - std::max((*spans_)[s].from, from);
    if (total <= Time{}) return;
    HostWork& work = by_name_[event == kNoEvent ? std::string_view{} : profile_.name(event)];
    if (event == kNoEvent || event != last_) ++work.count;
    last_ = event;
    work.total = saturating_sum(work.total, total);
  }

  const Profile& profile_;
  const std::vector<HostSpan>* spans_ = nullptr;
  std::size_t next_ = 0;  // the first span that may end after the current time
  EventId last_ = kNoEvent;
  std::map<std::string_view, HostWork> by_name_;
};

class IdleTimes {
 public:
  explicit IdleTimes(const Profile& profile) : profile_(profile), synchronizing_(profile) {}

  IdleReport report() {
    const Activity activity(profile_);
    report_.on_device = activity.on_device();
    if (!report_.on_device) return std::move(report_);
    const auto [begin, end] = recorded_extent(profile_);
    report_.whole = activity.breakdown(begin, end);
    for (const IdleSpan& span : activity.idle_spans(begin, end)) add(span);
    find_device_span();
    report_.device = activity.breakdown(report_.first, report_.last);
    for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) add_stream(lane);
    HostWorkSum host(profile_);
    for (const auto& [lane, spans] : host_spans_) host.add_thread(lane, spans);
    report_.host = host.take();
    return std::move(report_);
  }

 private:
  IdleTime& of(IdleCause cause) { return report_.causes[static_cast<std::size_t>(cause)]; }

  void add(const IdleSpan& span) {
    if (span.until == kNoEvent) return of(IdleCause::after_last).add(span.to - span.from);
    const EventId call = profile_.work(span.until).call;
    if (call == kNoEvent) return of(IdleCause::no_launch).add(span.to - span.from);
    const Time launched = Activity::launch_of(profile_, span.until);
    if (launched > span.from) {
      const std::uint32_t lane = profile_.events[call].lane;
      const bool waited = span.after != kNoEvent && synchronizing_.covers(lane, span.from);
      of(waited ? IdleCause::synchronization : IdleCause::host).add(launched - span.from);
      host_spans_[lane].push_back({span.from, launched});
      if (launched < span.to) of(IdleCause::launch).add(span.to - launched);
      return;
    }
    IdleCause queued = IdleCause::other_stream;
    if (span.after == kNoEvent)
      queued = IdleCause::launch;
    else if (profile_.events[span.after].lane == profile_.events[span.until].lane)
      queued = IdleCause::same_stream;
    else if (Activity::device_use(profile_, span.after) == DeviceUse::comm)
      queued = IdleCause::communication;
    of(queued).add(span.to - span.from);
  }

  void find_device_span() {
    bool any = false;
    for (EventId e = 0; e < profile_.events.size(); ++e) {
      const Event& event = profile_.events[e];
      if (!event.timed() || !is_device_work(event.kind)) continue;
      report_.first = any ? std::min(report_.first, event.start) : event.start;
      report_.last = any ? std::max(report_.last, event.end()) : event.end();
      any = true;
    }
  }

  void add_stream(std::uint32_t lane) {
    if (!profile_.lanes[lane].device) return;
    StreamIdleTime stream;
    stream.lane = lane;
    Time busy_until{};
    for (const EventId e : profile_.in_order(lane)) {
      const Event& event = profile_.events[e];
      if (!event.timed() || !is_device_work(event.kind)) continue;
      if (stream.works++ == 0) busy_until = event.start;
      if (event.start > busy_until) {
        const Time gap = event.start - busy_until;
        const EventId call = profile_.work(e).call;
        const bool late = call != kNoEvent && profile_.events[call].start > busy_until;
        (late ? stream.host_wait : gap < kKernelWait ? stream.kernel_wait : stream.other).add(gap);
      }
      stream.busy += std::max(Time{}, event.end() - std::max(event.start, busy_until));
      busy_until = std::max(busy_until, event.end());
    }
    if (stream.works > 0) report_.streams.push_back(stream);
  }

  const Profile& profile_;
  SynchronizingCalls synchronizing_;
  std::map<std::uint32_t, std::vector<HostSpan>> host_spans_;  // by lane, ascending
  IdleReport report_;
};

}  // namespace

IdleReport idle_times(const Profile& profile) { return IdleTimes(profile).report(); }

}  // namespace orrery::profile
