// SPDX-License-Identifier: Apache-2.0
//
// How many memories a network may have, by name. More ends in Errc::limit_exceeded.
#pragma once

#include <cstdint>

namespace orrery::platform::memory_limits {

inline constexpr std::uint32_t kMemories = 1u << 14;  ///< of a network; an access may go over all

}  // namespace orrery::platform::memory_limits
