// SPDX-License-Identifier: Apache-2.0
//
// Profilers before PyTorch 2.1 write whole microseconds, begins and lengths rounded down. What took
// less than that seems to end before what is inside it has begun. Execution traces say what is
// inside of what: between these the times can only have been later than they are written.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "orrery/profile/link/link_internal.h"

namespace orrery::profile {
namespace {

constexpr Time kMicrosecond{1'000'000};
constexpr Time kInOrder{1'000};  // between what follows each other
/// Two numbers have been rounded down before they are an end.
constexpr Time kRounding = kMicrosecond + kMicrosecond;

bool is_rounded(const Event& event) {
  return event.start.count() % kMicrosecond.count() == 0 &&
         event.duration.count() % kMicrosecond.count() == 0;
}

/// Whether a thread of the device trace has nothing but operators, with rounded times: what else
/// is inside them (calls of the driver) is known by its times alone.
bool is_plain(const Profile& device, std::uint32_t lane) {
  const auto order = device.in_order(lane);
  return std::all_of(order.begin(), order.end(), [&](EventId e) {
    const Event& event = device.events[e];
    return (event.kind == Kind::op || event.kind == Kind::annotation) && event.timed() &&
           is_rounded(event);
  });
}

/// Goes along one thread of the execution trace, and lets nothing be before what it comes after.
class Straightener {
 public:
  Straightener(Profile& device, const Profile& host, const Links& links)
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
    constexpr int kMostLevels = 1024;
    EventId at = host_.events[e].parent;
    for (int up = 0; at != kNoEvent && up < kMostLevels; ++up, at = host_.events[at].parent)
      if (at == around) return true;
    return false;
  }

  void close() {
    Event& event = device_.events[links_.event[open_.back()]];
    open_.pop_back();
    const Time end = later(event.end());
    event.duration = std::max(end - event.start, Time{});
  }

  /// A begin or an end, not before the one before it, where rounding explains that it was.
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
                                EventId seems) {
  const Event& of = device.events[event];
  if (!is_rounded(of)) return false;
  if (around == kNoEvent) return device.events[seems].end() <= of.start + kRounding;
  const Event& expected = device.events[around];
  return is_rounded(expected) && of.lane == expected.lane && of.start >= expected.start &&
         of.end() <= expected.end() + kRounding;
}

void restore_nesting(Profile& device, const Profile& host, const Links& links) {
  Straightener straightener(device, host, links);
  for (std::uint32_t h = 0; h < links.lane.size(); ++h)
    if (links.lane[h] != kNone && is_plain(device, links.lane[h])) straightener.run(h);
}

}  // namespace orrery::profile
