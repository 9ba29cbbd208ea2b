// SPDX-License-Identifier: Apache-2.0
//
// How large a question of the search may be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::split_bandwidth::limits {

inline constexpr std::size_t kDims = 16;      ///< of a network whose bandwidth is split
inline constexpr std::size_t kDemands = 256;  ///< collectives in different proportions
inline constexpr double kMinRate = 1;         ///< bytes/s, of a total and of a bound
inline constexpr double kMaxRate = 1e18;
inline constexpr double kMaxBytes = 1e24;    ///< in one dimension, of all collectives of a kind
inline constexpr double kMaxTimes = 1e15;    ///< a collective is done, or its job counts
inline constexpr double kMaxSeconds = 1e15;  ///< of what else a step takes
inline constexpr double kMaxCost = 1e12;     ///< for a byte/s, in whatever money

}  // namespace orrery::split_bandwidth::limits
