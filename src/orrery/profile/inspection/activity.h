// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/profile/inspection/inspection.h"

namespace orrery::profile {

enum class DeviceUse : std::uint8_t { compute, comm, copy };

/// A time in which no stream runs work.
struct IdleSpan {
  Time from{};
  Time to{};
  EventId after = kNoEvent;  ///< the work that ended last before it; kNoEvent: none
  EventId until = kNoEvent;  ///< the work that ends it; kNoEvent: the window ends
};

/// Intervals of activity on the device, or on the threads if there is no device work; ascending by
/// start.
class Activity {
 public:
  explicit Activity(const Profile& profile);

  [[nodiscard]] bool on_device() const { return on_device_; }
  [[nodiscard]] Breakdown breakdown(Time from, Time to) const;
  /// The idle spans between `from` and `to`, ascending; their sum is Breakdown::idle. Empty if
  /// there is no device work. O(log intervals + intervals in between).
  [[nodiscard]] std::vector<IdleSpan> idle_spans(Time from, Time to) const;
  /// When the call began that launched a work; the start of the work if the call is unknown or
  /// began later.
  [[nodiscard]] static Time launch_of(const Profile& profile, EventId work);
  [[nodiscard]] static DeviceUse device_use(const Profile& profile, EventId e);

 private:
  struct ActivityInterval {
    Time start;
    Time end;
    Time launched;  ///< when the launching call began; `start` if unknown
    DeviceUse use;
    EventId event;
  };
  void add_device_work(const Profile& profile);
  void add_thread(const Profile& profile, std::uint32_t lane);
  /// The first interval that may end after `from`.
  [[nodiscard]] std::size_t first_after(Time from) const;

  bool on_device_ = false;
  std::vector<ActivityInterval> intervals_;
  std::vector<Time> latest_end_;  ///< running maximum of `end`
};

}  // namespace orrery::profile
