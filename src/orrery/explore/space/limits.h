// SPDX-License-Identifier: Apache-2.0
//
// Limits of search space files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::explore::limits {

inline constexpr std::size_t kAxes = 32;
inline constexpr std::size_t kValues = 10'000;         ///< values of one axis
inline constexpr std::uint64_t kPoints = 1'000'000;    ///< points evaluated by one search
inline constexpr std::uint64_t kChecked = 100'000;     ///< sampled from larger spaces for the check
inline constexpr double kSpace = 9e18;                 ///< combinations of all axes
inline constexpr double kConstraints = 64;             ///< of one space
inline constexpr std::size_t kExpressionBytes = 4096;  ///< of one expression
inline constexpr std::size_t kExpressionDepth = 64;    ///< nesting of parentheses
inline constexpr std::uint64_t kJournalBytes = 1ull << 34;  ///< total size of stored files
inline constexpr std::uint32_t kParts = 100'000;            ///< parts of one search

}  // namespace orrery::explore::limits
