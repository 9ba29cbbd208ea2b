// SPDX-License-Identifier: Apache-2.0
//
// How large a question of the search may be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::search::limits {

inline constexpr std::size_t kDims = 16;      ///< of a network whose bandwidth is split
inline constexpr std::size_t kDemands = 256;  ///< collectives in different proportions
inline constexpr double kLeastRate = 1;       ///< bytes/s, of a total and of a bound
inline constexpr double kMostRate = 1e18;
inline constexpr double kMostBytes = 1e24;    ///< in one dimension, of all collectives of a kind
inline constexpr double kMostTimes = 1e15;    ///< a collective is done, or its job counts
inline constexpr double kMostSeconds = 1e15;  ///< of what else a step takes
inline constexpr double kMostCost = 1e12;     ///< for a byte/s, in whatever money

}  // namespace orrery::search::limits
