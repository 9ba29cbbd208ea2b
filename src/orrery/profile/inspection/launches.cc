// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/launches.h"

#include <algorithm>
#include <map>

#include "orrery/core/statistics/statistics.h"
#include "orrery/profile/inspection/activity.h"

namespace orrery::profile {
namespace {

/// A work and the call that launched it.
struct CalledWork {
  EventId call;
  EventId work;
};

LaunchedWork launched_work(const Profile& profile, EventId work) {
  switch (profile.events[work].kind) {
    case Kind::memcpy:
      return LaunchedWork::memcpy;
    case Kind::memset:
      return LaunchedWork::memset;
    case Kind::device_other:
      return LaunchedWork::other;
    default:
      return Activity::device_use(profile, work) == DeviceUse::comm ? LaunchedWork::communication
                                                                    : LaunchedWork::compute;
  }
}

struct LaunchSum {
  LaunchSummary summary;
  std::vector<Time> calls, delays;
};

class LaunchStatistics {
 public:
  explicit LaunchStatistics(const Profile& profile) : profile_(profile) {
    for (EventId e = 0; e < profile.events.size(); ++e) {
      const Event& event = profile.events[e];
      if (!event.timed() || !is_device_work(event.kind)) continue;
      const EventId call = profile.work(e).call;
      if (call == kNoEvent || !profile.events[call].timed())
        ++report_.without_call;
      else
        works_.push_back({call, e});
    }
    std::sort(works_.begin(), works_.end(), [&](const CalledWork& a, const CalledWork& b) {
      if (a.call != b.call) return a.call < b.call;
      const Event &left = profile_.events[a.work], &right = profile_.events[b.work];
      return left.start != right.start ? left.start < right.start : a.work < b.work;
    });
  }

  LaunchReport report() {
    for (std::size_t begin = 0, end = 0; begin < works_.size(); begin = end) {
      while (end < works_.size() && works_[end].call == works_[begin].call) ++end;
      add_launch(begin, end);
    }
    finish_launches();
    for (auto& [lane, queue] : queues_) add_queue(lane, queue);
    return std::move(report_);
  }

 private:
  void add_launch(std::size_t begin, std::size_t end) {
    const EventId call_event = works_[begin].call;
    const Event& call = profile_.events[call_event];
    const Event& first = profile_.events[works_[begin].work];
    const LaunchedWork kind =
        end - begin > 1 ? LaunchedWork::several : launched_work(profile_, works_[begin].work);
    LaunchSum& sum = sums_[{profile_.name(call_event), kind}];
    LaunchSummary& summary = sum.summary;
    Time worked{};
    std::vector<std::uint32_t> lanes;
    for (std::size_t w = begin; w < end; ++w) {
      const Event& work = profile_.events[works_[w].work];
      worked = saturating_sum(worked, work.duration);
      if (std::find(lanes.begin(), lanes.end(), work.lane) != lanes.end()) continue;
      lanes.push_back(work.lane);
      queues_[work.lane].push_back({call_event, works_[w].work});
    }
    const Time delay = first.start - call.start;
    ++summary.count;
    summary.works += end - begin;
    summary.call_total = saturating_sum(summary.call_total, call.duration);
    summary.call_longest = std::max(summary.call_longest, call.duration);
    summary.work_total = saturating_sum(summary.work_total, worked);
    summary.delay_longest = sum.delays.empty() ? delay : std::max(summary.delay_longest, delay);
    summary.delay_total = saturating_sum(summary.delay_total, delay);
    summary.short_works += worked < call.duration ? 1 : 0;
    summary.long_calls += call.duration > kLongCall ? 1 : 0;
    summary.late_works += delay - call.duration > kLateWork ? 1 : 0;
    sum.calls.push_back(call.duration);
    sum.delays.push_back(delay);
  }

  void finish_launches() {
    std::map<std::string_view, std::vector<Time>> by_call;
    for (auto& [key, sum] : sums_) {
      auto& calls = by_call[key.first];
      calls.insert(calls.end(), sum.calls.begin(), sum.calls.end());
      sum.summary.call = key.first;
      sum.summary.work = key.second;
      sum.summary.call_median = lower_median(sum.calls);
      sum.summary.delay_median = lower_median(sum.delays);
      report_.launches.push_back(std::move(sum.summary));
    }
    for (auto& [name, calls] : by_call) usual_[name] = lower_median(calls);
    std::stable_sort(
        report_.launches.begin(), report_.launches.end(),
        [](const LaunchSummary& a, const LaunchSummary& b) { return a.call_total > b.call_total; });
  }

  /// A launch enters or leaves a queue.
  struct QueueStep {
    Time at{};
    bool enters = false;
    EventId call = kNoEvent;
  };

  /// Launches that begin to execute before their call (the clocks differ) never wait in a queue.
  std::vector<QueueStep> steps_of(const std::vector<CalledWork>& queue) const {
    std::vector<QueueStep> steps;
    steps.reserve(2 * queue.size());
    for (const CalledWork& launch : queue) {
      const Time called = profile_.events[launch.call].start;
      const Time begun = profile_.events[launch.work].start;
      steps.push_back({called, true, launch.call});
      steps.push_back({std::max(called, begun), false, launch.call});
    }
    // At one time, works begin before others are launched; a work that begins when it is launched
    // still enters first.
    std::stable_sort(steps.begin(), steps.end(),
                     [](const QueueStep& a, const QueueStep& b) { return a.at < b.at; });
    for (std::size_t begin = 0, end = 0; begin < steps.size(); begin = end) {
      while (end < steps.size() && steps[end].at == steps[begin].at) ++end;
      if (end - begin > 1) leave_first(steps, begin, end);
    }
    return steps;
  }

  void leave_first(std::vector<QueueStep>& steps, std::size_t begin, std::size_t end) const {
    const auto first = steps.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = steps.begin() + static_cast<std::ptrdiff_t>(end);
    std::stable_partition(first, last, [&](const QueueStep& step) {
      return !step.enters && profile_.events[step.call].start < step.at;
    });
  }

  void add_queue(std::uint32_t lane, const std::vector<CalledWork>& queue) {
    const std::vector<QueueStep> steps = steps_of(queue);
    QueueSummary summary;
    summary.lane = lane;
    summary.launches = queue.size();
    summary.span = steps.back().at - steps.front().at;
    std::uint32_t length = 0;
    double waited = 0;
    for (const CalledWork& launch : queue)
      waited += seconds(std::max(
          Time{}, profile_.events[launch.work].start - profile_.events[launch.call].start));
    if (summary.span > Time{}) summary.mean = waited / seconds(summary.span);
    for (const QueueStep& step : steps) {
      length += step.enters ? 1 : -1;
      if (length <= summary.longest) continue;
      summary.longest = length;
      summary.longest_at = step.at;
    }
    add_blocked(summary, steps);
    add_parts(summary, steps);
    report_.queues.push_back(summary);
  }

  void add_blocked(QueueSummary& summary, const std::vector<QueueStep>& steps) const {
    if (summary.longest < kMinQueueDepth) return;
    std::uint32_t length = 0;
    for (const QueueStep& step : steps) {
      length += step.enters ? 1 : -1;
      if (!step.enters || !is_queue_near_maximum(length, summary.longest)) continue;
      const Time duration = profile_.events[step.call].duration;
      if (duration < kLongLaunch) continue;
      ++summary.blocked;
      const Time beyond = duration - usual_.find(profile_.name(step.call))->second;
      summary.blocked_time = saturating_sum(summary.blocked_time, std::max(Time{}, beyond));
    }
    if (summary.blocked < kMinLongLaunches) summary.blocked = 0, summary.blocked_time = {};
  }

  void add_parts(const QueueSummary& summary, const std::vector<QueueStep>& steps) {
    constexpr auto kParts = static_cast<std::int64_t>(kQueueParts);
    if (summary.span.count() < kParts) return;
    const Time first = steps.front().at;
    const auto border = [&](std::int64_t part) {
      return first + Time(summary.span.count() / kParts * part +
                          summary.span.count() % kParts * part / kParts);
    };
    std::uint32_t length = 0;
    std::size_t step = 0;
    for (std::int64_t p = 0; p < kParts; ++p) {
      QueuePart part{.lane = summary.lane, .from = border(p), .longest = length};
      const Time end = border(p + 1);
      double area = 0;  // seconds times launches
      Time now = part.from;
      for (; step < steps.size() && (steps[step].at < end || p + 1 == kParts); ++step) {
        area += seconds(steps[step].at - now) * length;
        now = steps[step].at;
        length += steps[step].enters ? 1 : -1;
        part.longest = std::max(part.longest, length);
      }
      area += seconds(end - now) * length;
      part.mean = area / seconds(end - part.from);
      report_.parts.push_back(part);
    }
  }

  const Profile& profile_;
  std::vector<CalledWork> works_;  // by call, then by start
  std::map<std::pair<std::string_view, LaunchedWork>, LaunchSum> sums_;
  std::map<std::string_view, Time> usual_;                   // median duration by name of call
  std::map<std::uint32_t, std::vector<CalledWork>> queues_;  // by lane; first work of each call
  LaunchReport report_;
};

}  // namespace

LaunchReport launch_statistics(const Profile& profile) {
  return LaunchStatistics(profile).report();
}

}  // namespace orrery::profile
