// SPDX-License-Identifier: Apache-2.0
//
// How large plans of collectives may be, by name. More ends in Errc::limit_exceeded.
#pragma once

#include <cstdint>

namespace orrery::synthesis::plan_limits {

inline constexpr std::uint32_t kPlanRanks = 4096;
inline constexpr std::uint32_t kPlanChunks = 1u << 20;    ///< of one buffer
inline constexpr std::uint64_t kPlanPlaces = 1ull << 23;  ///< chunks of all buffers of all ranks
inline constexpr std::uint64_t kPlanSteps = 1ull << 22;   ///< of all ranks
inline constexpr std::uint64_t kPlanMoves = 1ull << 25;   ///< chunks that all steps read and write
inline constexpr std::uint32_t kPlanChannels = 1u << 16;  ///< numbers of channels

}  // namespace orrery::synthesis::plan_limits
