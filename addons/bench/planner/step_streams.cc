// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/planner/step_streams.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::kNoEvent;

constexpr int kFarthestAbove = 64;
constexpr std::uint32_t kNoLane = ~std::uint32_t{0};

/// By source: the time of its kernels on each lane.
using TimeByLane = std::vector<std::map<std::uint32_t, Time>>;

TimeByLane time_by_lane(const profile::Profile& profile, const ReplayPlan& plan) {
  std::unordered_map<EventId, std::size_t> source_of;
  for (std::size_t s = 0; s < plan.sources.size(); ++s) source_of[plan.sources[s].event] = s;
  TimeByLane times(plan.sources.size());
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    if (!event.timed() || !profile::is_device_work(event.kind)) continue;
    if (profile.comm(e) != nullptr || profile::is_comm_kernel(profile.name(e))) continue;
    EventId above = profile.work(e).op;
    for (int up = 0; up < kFarthestAbove && above != kNoEvent; ++up) {
      const auto found = source_of.find(above);
      if (found != source_of.end()) {
        times[found->second][event.lane] += event.duration;
        break;
      }
      above = profile.events[above].parent;
    }
  }
  return times;
}

/// The lane with the longest time; ties: the first.
std::uint32_t longest(const std::map<std::uint32_t, Time>& times) {
  std::uint32_t lane = kNoLane;
  Time most{};
  for (const auto& [one, time] : times) {
    if (lane != kNoLane && time <= most) continue;
    lane = one;
    most = time;
  }
  return lane;
}

}  // namespace

void find_step_streams(const profile::Profile& profile, ReplayPlan& plan) {
  const TimeByLane times = time_by_lane(profile, plan);
  std::map<std::uint32_t, std::uint32_t> number_of;  // by lane
  std::uint32_t now = 0;
  for (ReplayStep& step : plan.steps) {
    const bool calculates =
        step.kind != ReplayStep::Kind::communicate && step.kind != ReplayStep::Kind::wait;
    const std::uint32_t lane = calculates ? longest(times[step.source]) : kNoLane;
    if (lane != kNoLane) {
      const auto next = static_cast<std::uint32_t>(number_of.size()) % kMaxStreams;
      now = number_of.try_emplace(lane, next).first->second;
    }
    step.stream = now;
  }
}

}  // namespace orrery::bench
