// SPDX-License-Identifier: Apache-2.0
//
// How much a file of a space to search may hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::explore::limits {

inline constexpr std::size_t kAxes = 32;
inline constexpr std::size_t kValues = 10'000;              ///< of one axis
inline constexpr std::uint64_t kPoints = 1'000'000;         ///< that one search looks at
inline constexpr std::uint64_t kChecked = 100'000;          ///< drawn of larger spaces, ahead
inline constexpr double kSpace = 9e18;                      ///< combinations of all axes
inline constexpr double kConstraints = 64;                  ///< of one space
inline constexpr std::size_t kExpressionBytes = 4096;       ///< of one expression
inline constexpr std::size_t kExpressionDepth = 64;         ///< parentheses, one in another
inline constexpr std::uint64_t kJournalBytes = 1ull << 34;  ///< of all that are kept
inline constexpr std::uint32_t kParts = 100'000;            ///< that a search is cut into

}  // namespace orrery::explore::limits
