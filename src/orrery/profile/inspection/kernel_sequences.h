// SPDX-License-Identifier: Apache-2.0
//
// Sequences of kernels that operators launch again and again: candidates for fusion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Device work launched within one operator, in the order of starts, as HTA's "frequent CUDA kernel
/// sequences" defines it. Two occurrences are equal if the names of operator and work are.
struct KernelSequence {
  std::string operator_name;
  std::vector<std::string> works;  ///< names; at most kMostWorksNamed
  std::uint64_t length = 0;        ///< works
  std::uint64_t count = 0;         ///< occurrences
  Time device_time{};              ///< durations of the works of all occurrences
  Time host_time{};                ///< durations of the operators
  /// False if, in each occurrence, one operator within this one launches all of the works.
  bool innermost = false;
};
inline constexpr std::size_t kMinSequence = 3;  ///< works; HTA's default
inline constexpr std::size_t kMostWorksNamed = 64;

/// Sequences of at least kMinSequence works, by count, then by device time, descending; at most
/// `most`. An operator within another one of its name is no occurrence. Works without a recorded
/// call, and works launched outside of operators, are in none. O(works × depth of operators + works
/// log works).
[[nodiscard]] std::vector<KernelSequence> kernel_sequences(const Profile& profile,
                                                           std::size_t most);

}  // namespace orrery::profile
