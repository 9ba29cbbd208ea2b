// SPDX-License-Identifier: Apache-2.0
//
// What a thread did, operator by operator.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Which part of a step launched.
enum class LaunchPass : std::uint8_t { forward, backward, optimizer };
[[nodiscard]] std::string_view name(LaunchPass pass);

/// One of a thread's events, in the order of a tree's.
struct HostEvent {
  EventId event = kNoEvent;
  EventId root = kNoEvent;   ///< the outermost operator around it, or itself
  EventId above = kNoEvent;  ///< of a root: the annotation around it
  LaunchPass pass = LaunchPass::forward;
  Time kernel{};         ///< of a launch: when the first of its works began
  bool launch = false;   ///< of any work
  bool compute = false;  ///< … of a kernel
  bool wait = false;     ///< a call in which the host waits for the device
};

/// By call: the first work that it launched, or kNoEvent. Of an attached profile. O(events).
[[nodiscard]] std::vector<EventId> first_works(const Profile& profile);

/// Of a thread; the profiler's own time is left out. `work_of`: first_works. O(events of the lane).
[[nodiscard]] std::vector<HostEvent> host_events(const Profile& profile, std::uint32_t lane,
                                                 const std::vector<EventId>& work_of);

}  // namespace orrery::profile
