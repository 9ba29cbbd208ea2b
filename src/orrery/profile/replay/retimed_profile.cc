// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/replay/retimed_profile.h"

#include <algorithm>
#include <vector>

namespace orrery::profile {
namespace {

/// A step of a thread: recorded and simulated times.
struct Step {
  Time end{}, ready{};  ///< recorded: its end, and the end of its wait
  Time now_end{}, now_ready{};
};

/// Maps recorded times of a thread to simulated ones.
class TimeMap {
 public:
  explicit TimeMap(std::vector<Step> steps) : steps_(std::move(steps)) {}

  [[nodiscard]] Time operator()(Time when) const {
    if (steps_.empty()) return when;
    auto step = std::lower_bound(steps_.begin(), steps_.end(), when,
                                 [](const Step& s, Time t) { return s.end < t; });
    if (step == steps_.end()) return steps_.back().now_end + (when - steps_.back().end);
    if (when >= step->ready) return within(*step, when);
    if (step == steps_.begin()) return step->now_ready - (step->ready - when);
    const Step& before = *std::prev(step);
    return std::max(before.now_end,
                    std::min(before.now_end + (when - before.end), step->now_ready));
  }

 private:
  [[nodiscard]] static Time within(const Step& step, Time when) {
    const std::int64_t was = (step.end - step.ready).count();
    const std::int64_t is = (step.now_end - step.now_ready).count();
    const std::int64_t done = (when - step.ready).count();
    if (was == is || was <= 0) return step.now_end - Time(was - done);
    const auto share = static_cast<long double>(done) / static_cast<long double>(was);
    return step.now_ready + Time(static_cast<std::int64_t>(share * static_cast<long double>(is)));
  }

  std::vector<Step> steps_;  // ascending by end
};

TimeMap time_map_of(const Profile& profile, std::uint32_t lane, const Dependencies& dependencies,
                    std::span<const Time> recorded, std::span<const NodeSpan> spans) {
  std::vector<Step> steps;
  for (const EventId e : profile.in_order(lane)) {
    const std::uint32_t node = dependencies.node_of[e];
    if (node == kNone || !profile.events[e].timed() || !spans[node].ran()) continue;
    const Time end = dependencies.end[node];
    if (!steps.empty() && end < steps.back().end) continue;
    steps.push_back({end, end - recorded[node], spans[node].end, spans[node].start});
  }
  return TimeMap(std::move(steps));
}

void set_times(Event& event, Time start, Time end) {
  event.start = start;
  event.duration = std::max(Time{}, end - start);
}

void move_stream(Profile& profile, std::uint32_t lane, const Dependencies& dependencies,
                 std::span<const Time> recorded, std::span<const NodeSpan> spans) {
  Time shift{};
  for (const EventId e : profile.in_order(lane)) {
    Event& event = profile.events[e];
    const std::uint32_t node = is_device_work(event.kind) ? dependencies.node_of[e] : kNone;
    if (node == kNone || !spans[node].ran()) {  // moves with the previous work
      event.start += shift;
      continue;
    }
    const Time overlap = std::max(Time{}, event.duration - recorded[node]);
    const Time start = spans[node].start - overlap;
    shift = start - event.start;
    set_times(event, start, spans[node].end);
  }
}

}  // namespace

void retime(Profile& profile, const Dependencies& dependencies, std::span<const Time> recorded,
            std::span<const NodeSpan> spans, Findings& findings) {
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    if (profile.lanes[lane].device) {
      move_stream(profile, lane, dependencies, recorded, spans);
      continue;
    }
    const TimeMap simulated = time_map_of(profile, lane, dependencies, recorded, spans);
    for (const EventId e : profile.in_order(lane)) {
      Event& event = profile.events[e];
      if (event.timed()) set_times(event, simulated(event.start), simulated(event.end()));
    }
  }
  profile.index(findings);
}

}  // namespace orrery::profile
