// SPDX-License-Identifier: Apache-2.0
//
// When a launch waited because the launch queue of its stream was full. Recordings do not contain
// this wait: it is inferred where the number of works in front of a launch stopped growing and
// launches were long.
#pragma once

#include <cstdint>

#include "orrery/core/quantity.h"

namespace orrery::profile {

/// No known launch queue is shorter. HTA's documentation ("Augmented Counters"): 1,024 on NVIDIA's
/// GPUs.
inline constexpr std::uint32_t kMinQueueDepth = 256;
/// A launch is long from here on: ten times the duration of a normal launch.
inline constexpr Time kLongLaunch = us(50);
/// The queue of a stream was full if at least so many launches were long while it was near its
/// maximum.
inline constexpr std::uint32_t kMinLongLaunches = 5;

/// True within 2 % of the maximum.
[[nodiscard]] constexpr bool is_queue_near_maximum(std::uint32_t length, std::uint32_t maximum) {
  return std::uint64_t{length} * 50 >= std::uint64_t{maximum} * 49;
}

}  // namespace orrery::profile
