// SPDX-License-Identifier: Apache-2.0
//
// Why the device of a recorded rank was idle.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/profile/inspection/inspection.h"

namespace orrery::profile {

/// Why no stream ran work. The parts of an idle span before the launch of the work that ends it are
/// host, synchronization and no_launch; their sum is Breakdown::host_bound.
enum class IdleCause : std::uint8_t {
  host,             ///< the host had not begun to launch the next work
  synchronization,  ///< as `host`, but the host waited for the device when it became idle
  no_launch,        ///< the recording lacks the call that launched the next work
  launch,           ///< the call had begun; the work had not started
  communication,    ///< the next work was launched before, and the last one was communication on
                    ///< another stream
  other_stream,     ///< the same, and the last one was no communication
  same_stream,      ///< the next work was launched before, and the last one ran on its stream
  after_last        ///< after the last work of the recording
};
struct IdleCauseEntry {
  IdleCause cause;
  std::string_view name;  ///< for people and in JSON
};
/// All causes, in their order.
inline constexpr std::array<IdleCauseEntry, 8> kIdleCauses{{
    {IdleCause::host, "host"},
    {IdleCause::synchronization, "synchronization"},
    {IdleCause::no_launch, "launch not recorded"},
    {IdleCause::launch, "launch latency"},
    {IdleCause::communication, "wait for communication"},
    {IdleCause::other_stream, "wait for another stream"},
    {IdleCause::same_stream, "gap in a stream"},
    {IdleCause::after_last, "after the last work"},
}};

struct IdleTime {
  std::uint64_t spans = 0;  ///< idle spans of which a part has this cause
  Time total{};
  Time longest{};  ///< the longest such part

  void add(Time length);
};

/// Idle time of one stream as HTA's "idle time breakdown" defines it: gaps between successive works
/// of the stream. Source: HTA's documentation, "Idle Time Breakdown".
struct StreamIdleTime {
  std::uint32_t lane = kNone;
  std::uint64_t works = 0;
  Time busy{};         ///< time in which at least one work runs
  IdleTime host_wait;  ///< the work that ends the gap was launched after the gap had begun
  /// Otherwise, the gap is shorter than kKernelWait.
  IdleTime kernel_wait;
  IdleTime other;
};
/// Gaps of queued works that are shorter come from the device itself. HTA's default.
inline constexpr Time kKernelWait = ns(30);

/// What a host thread did while the device waited for a launch of this thread.
struct HostWork {
  std::string name;         ///< the innermost operator, annotation, call or Python frame; "": none
  std::uint64_t count = 0;  ///< events
  Time total{};
};

struct IdleReport {
  bool on_device = false;  ///< false: no device work was recorded, and all else is empty
  Time first{}, last{};    ///< start of the first and end of the last device work
  Breakdown whole;         ///< of the recording, as Inspection::whole
  Breakdown device;        ///< from `first` to `last`
  std::array<IdleTime, kIdleCauses.size()> causes;  ///< by IdleCause; of `whole`
  std::vector<StreamIdleTime> streams;              ///< in the order of lanes
  std::vector<HostWork> host;  ///< during host and synchronization; by time, descending
};

/// O(events log events). `profile` is indexed and attached.
[[nodiscard]] IdleReport idle_times(const Profile& profile);

}  // namespace orrery::profile
