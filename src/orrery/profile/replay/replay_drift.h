// SPDX-License-Identifier: Apache-2.0
//
// Error of a replay compared with the recording.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Difference between replayed and recorded start of device works; without device works, of
/// operators and calls. All events have equal weight.
struct ReplayDrift {
  std::uint64_t count = 0;
  Time mean{};          ///< mean of the absolute differences
  Time p95{}, worst{};  ///< 95 % quantile and maximum of the absolute differences
  Time signed_mean{};   ///< mean of replayed - recorded starts; positive: the replay is late
  EventId worst_event = kNoEvent;
  /// The first event, in recorded order, with a difference of more than a thousandth of the
  /// recording (at least 1 us); kNoEvent: none.
  EventId first_drifted = kNoEvent;
};

/// By event: start and end.
using EventTimes = std::vector<std::pair<Time, Time>>;
[[nodiscard]] EventTimes event_times(const Profile& profile);

/// `recorded`: times of the recording; `now`: the profile after the replay. O(events log events).
[[nodiscard]] ReplayDrift drift(const EventTimes& recorded, const Profile& now);

/// True if timed work runs on a device; then drift() compares device works.
[[nodiscard]] bool runs_on_device(const Profile& profile);

/// Share of each bin in which at least one stream of the device ran a kernel, 0 to 1. Lumos calls
/// this SM utilization (arXiv 2504.09307, §4.2.2, bins of 1 ms). The first bin begins at `from`.
/// Copies and memsets do not count.
[[nodiscard]] std::vector<double> busy_curve(const Profile& profile, Time from, Time to, Time bin);

}  // namespace orrery::profile
