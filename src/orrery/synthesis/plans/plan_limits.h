// SPDX-License-Identifier: Apache-2.0
//
// Size limits of plans. Readers report larger plans as Errc::limit_exceeded.
#pragma once

#include <cstdint>

namespace orrery::synthesis::plan_limits {

inline constexpr std::uint32_t kPlanRanks = 4096;
inline constexpr std::uint32_t kPlanChunks = 1u << 20;    ///< chunks of one buffer
inline constexpr std::uint64_t kPlanPlaces = 1ull << 23;  ///< chunks of all buffers of all ranks
inline constexpr std::uint64_t kPlanSteps = 1ull << 22;   ///< steps of all ranks
inline constexpr std::uint64_t kPlanMoves = 1ull << 25;   ///< chunks that all steps read and write
inline constexpr std::uint32_t kPlanChannels = 1u << 16;  ///< channel numbers

}  // namespace orrery::synthesis::plan_limits
