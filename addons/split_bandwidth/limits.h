// SPDX-License-Identifier: Apache-2.0
//
// Limits on the size of a split problem.
#pragma once

#include <cstddef>

namespace orrery::split_bandwidth::limits {

inline constexpr std::size_t kDims = 16;      ///< of a network whose bandwidth is split
inline constexpr std::size_t kDemands = 256;  ///< collectives in different proportions
inline constexpr double kMinRate = 1;         ///< bytes/s, for the total and for bounds
inline constexpr double kMaxRate = 1e18;
inline constexpr double kMaxBytes = 1e24;    ///< in one dimension, over all collectives of a kind
inline constexpr double kMaxTimes = 1e15;    ///< number of collectives, or weight of a job
inline constexpr double kMaxSeconds = 1e15;  ///< other time of a step
inline constexpr double kMaxCost = 1e12;     ///< per byte/s, in any currency

}  // namespace orrery::split_bandwidth::limits
