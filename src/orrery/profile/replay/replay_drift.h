// SPDX-License-Identifier: Apache-2.0
//
// How far a replay is from the recording.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Of the work of the device, or without one of the threads' operators and calls: how far from
/// where it was recorded it begins. All events count alike.
struct ReplayDrift {
  std::uint64_t count = 0;
  Time mean{};          ///< of the distances, whatever their direction
  Time p95{}, worst{};  ///< 95 % are no farther than this; the farthest
  Time later{};         ///< signed mean: positive, if it is late
  EventId farthest = kNoEvent;
  /// The first, in recorded order, from where on it is farther than a thousandth of the recording
  /// (and 1 us); kNoEvent: none is.
  EventId begins = kNoEvent;
};

/// By event: when it begins and ends.
using EventTimes = std::vector<std::pair<Time, Time>>;
[[nodiscard]] EventTimes event_times(const Profile& profile);

/// `now` is a rank that had other times when it was recorded. O(events log events).
[[nodiscard]] ReplayDrift drift(const EventTimes& recorded, const Profile& now);

/// Whether it is the device that counts: some timed work runs there.
[[nodiscard]] bool runs_on_device(const Profile& profile);

/// How much of each bin some stream of the device ran a kernel in, 0 to 1: what Lumos calls SM
/// utilisation (arXiv 2504.09307, §4.2.2, bins of 1 ms). Bins begin at `from`; copies and memsets
/// do not count.
[[nodiscard]] std::vector<double> busy_curve(const Profile& profile, Time from, Time to, Time bin);

}  // namespace orrery::profile
