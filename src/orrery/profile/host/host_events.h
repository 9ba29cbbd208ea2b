// SPDX-License-Identifier: Apache-2.0
//
// The events of a thread, with their enclosing operators and their launches.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// The part of a training step that launched a work.
enum class LaunchPass : std::uint8_t { forward, backward, optimizer };
[[nodiscard]] std::string_view name(LaunchPass pass);

/// One event of a thread; events are in pre-order.
struct HostEvent {
  EventId event = kNoEvent;
  EventId root = kNoEvent;        ///< the outermost operator that encloses it, or itself
  EventId annotation = kNoEvent;  ///< of a root: the annotation that encloses it
  LaunchPass pass = LaunchPass::forward;
  Time kernel_start{};            ///< of a launch: when its first work began
  bool is_launch = false;         ///< it launches work
  bool is_kernel_launch = false;  ///< it launches a kernel
  bool has_launch = false;        ///< an event within it launches work
  /// A call in which the host waits for the device, or a communication of the host itself.
  bool is_wait = false;
};

/// By event: the first work that a call launched, or kNoEvent. `profile` is attached. O(events).
[[nodiscard]] std::vector<EventId> first_works(const Profile& profile);

/// The events of a thread, without the profiler's own time. `work_of`: result of first_works.
/// O(events of the lane).
[[nodiscard]] std::vector<HostEvent> host_events(const Profile& profile, std::uint32_t lane,
                                                 const std::vector<EventId>& work_of);

}  // namespace orrery::profile
