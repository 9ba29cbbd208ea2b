// SPDX-License-Identifier: Apache-2.0
//
// Profilers before PyTorch 2.1 write begins and durations in whole microseconds, rounded down. A
// short event then seems to end before its children begin. Execution traces contain the nesting;
// so the real times can only be later than the written ones.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "orrery/profile/link/link_internal.h"

namespace orrery::profile {
namespace {

constexpr Time kMicrosecond{1'000'000};
constexpr Time kInOrder{1'000};  // minimum distance between consecutive times
/// An end is the sum of two numbers that were rounded down.
constexpr Time kRounding = kMicrosecond + kMicrosecond;

bool is_rounded(const Event& event) {
  return event.start.count() % kMicrosecond.count() == 0 &&
         event.duration.count() % kMicrosecond.count() == 0;
}

/// True if a thread of the device trace contains only operators with rounded times. Other children
/// (calls of the driver) are nested only by their times.
bool is_plain(const Profile& device, std::uint32_t lane) {
  const auto order = device.in_order(lane);
  return std::all_of(order.begin(), order.end(), [&](EventId e) {
    const Event& event = device.events[e];
    return (event.kind == Kind::op || event.kind == Kind::annotation) && event.timed() &&
           is_rounded(event);
  });
}

/// Moves the times of one thread so that they follow the order of the execution trace.
class NestingRepair {
 public:
  NestingRepair(Profile& device, const Profile& host, const Links& links)
      : device_(device), host_(host), links_(links) {}

  void run(std::uint32_t lane) {
    for (const EventId e : host_.in_order(lane)) {
      if (links_.event[e] == kNoEvent) continue;
      while (!open_.empty() && !is_inside(e, open_.back())) close();
      Event& event = device_.events[links_.event[e]];
      const Time start = later(event.start), end = std::max(event.end(), start);
      event.start = start;
      event.duration = end - start;
      open_.push_back(e);
    }
    while (!open_.empty()) close();
    now_ = Time{};
  }

 private:
  [[nodiscard]] bool is_inside(EventId e, EventId around) const {
    return enclosing_event(host_, e, [&](EventId at) { return at == around; }) == around;
  }

  void close() {
    Event& event = device_.events[links_.event[open_.back()]];
    open_.pop_back();
    const Time end = later(event.end());
    event.duration = std::max(end - event.start, Time{});
  }

  /// A begin or an end, moved after the previous one if rounding explains the contradiction.
  Time later(Time written) {
    const Time least = now_ + kInOrder;
    if (written < least && least - written <= kRounding) written = least;
    now_ = std::max(now_, written);
    return written;
  }

  Profile& device_;
  const Profile& host_;
  const Links& links_;
  std::vector<EventId> open_;  // of the host
  Time now_{};
};

}  // namespace

bool is_nesting_within_rounding(const Profile& device, EventId event, EventId around,
                                EventId observed) {
  const Event& of = device.events[event];
  if (!is_rounded(of)) return false;
  if (around == kNoEvent) return device.events[observed].end() <= of.start + kRounding;
  const Event& expected = device.events[around];
  return is_rounded(expected) && of.lane == expected.lane && of.start >= expected.start &&
         of.end() <= expected.end() + kRounding;
}

void restore_nesting(Profile& device, const Profile& host, const Links& links) {
  NestingRepair repair(device, host, links);
  for (std::uint32_t h = 0; h < links.lane.size(); ++h)
    if (links.lane[h] != kNone && is_plain(device, links.lane[h])) repair.run(h);
}

}  // namespace orrery::profile
