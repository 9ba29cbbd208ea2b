// SPDX-License-Identifier: Apache-2.0
//
// Limits on the size of a space of runs and of a case study.
#pragma once

#include <cstdint>

namespace orrery::case_study::limits {

inline constexpr double kAxes = 8;
inline constexpr double kChoices = 256;       ///< of one axis
inline constexpr std::size_t kRuns = 4096;    ///< of one space
inline constexpr double kColumns = 16;        ///< of a table
inline constexpr double kFigures = 256;       ///< published values, and inputs
inline constexpr std::int64_t kDecimals = 6;  ///< of a column

}  // namespace orrery::case_study::limits
