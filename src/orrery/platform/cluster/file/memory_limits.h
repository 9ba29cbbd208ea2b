// SPDX-License-Identifier: Apache-2.0
//
// The maximum number of memories in a network. More end in Errc::limit_exceeded.
#pragma once

#include <cstdint>

namespace orrery::platform::memory_limits {

inline constexpr std::uint32_t kMemories = 1u << 14;  ///< one access may use all of them

}  // namespace orrery::platform::memory_limits
