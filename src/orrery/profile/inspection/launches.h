// SPDX-License-Identifier: Apache-2.0
//
// How the host of a recorded rank launched work of the device: durations of calls, delays, queues.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/profile/launch_queues.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// What a call launched.
enum class LaunchedWork : std::uint8_t { compute, communication, memcpy, memset, other, several };
inline constexpr std::array<std::string_view, 6> kLaunchedWorkNames{
    "compute", "communication", "memcpy", "memset", "other", "several works"};
[[nodiscard]] constexpr std::string_view name(LaunchedWork work) {
  return kLaunchedWorkNames[static_cast<std::size_t>(work)];
}

/// The launches by calls of one name. A launch is one call; its delay is that of its first work.
struct LaunchSummary {
  std::string call;  ///< "cudaLaunchKernel", "hipMemcpyAsync" …
  LaunchedWork work = LaunchedWork::compute;
  std::uint64_t count = 0;  ///< calls
  std::uint64_t works = 0;
  Time call_total{}, call_median{}, call_longest{};
  Time work_total{};  ///< durations of the works
  /// From the start of the call to the start of its first work; negative if the clocks of host and
  /// device differ.
  Time delay_total{}, delay_median{}, delay_longest{};
  std::uint64_t short_works = 0;  ///< calls that last longer than their works together
  std::uint64_t long_calls = 0;   ///< calls longer than kLongCall
  std::uint64_t late_works = 0;   ///< launches whose delay after the call exceeds kLateWork
};
/// HTA's default cutoffs of outliers. Source: HTA's API, get_cuda_kernel_launch_stats.
inline constexpr Time kLongCall = us(50);
inline constexpr Time kLateWork = us(100);

/// The launches that a stream had not begun to execute. A launch is in the queue from the start of
/// its call to the start of its first work on the stream.
struct QueueSummary {
  std::uint32_t lane = kNone;
  std::uint64_t launches = 0;
  Time span{};      ///< from the first call to the start of the last work
  double mean = 0;  ///< over `span`
  std::uint32_t longest = 0;
  Time longest_at{};  ///< when it first had that length
  /// Long launches (kLongLaunch) while the queue was full: see kMinLongLaunches. 0 if it never was.
  std::uint64_t blocked = 0;
  Time blocked_time{};  ///< by how much they exceed the median of their name
};

/// The length of a stream's queue in one part of its span.
struct QueuePart {
  std::uint32_t lane = kNone;
  Time from{};
  double mean = 0;
  std::uint32_t longest = 0;
};
inline constexpr std::size_t kQueueParts = 50;  ///< equal parts of the span of each stream

struct LaunchReport {
  std::vector<LaunchSummary> launches;  ///< by time of the calls, descending
  std::vector<QueueSummary> queues;     ///< in the order of lanes
  std::vector<QueuePart> parts;         ///< by lane, ascending
  std::uint64_t without_call = 0;       ///< works whose call the recording lacks
};

/// O(works log works). `profile` is indexed and attached.
[[nodiscard]] LaunchReport launch_statistics(const Profile& profile);

}  // namespace orrery::profile
