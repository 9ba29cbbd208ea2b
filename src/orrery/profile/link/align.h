// SPDX-License-Identifier: Apache-2.0
//
// Two recordings of one thread, side by side: which step of one is which step of the other.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace orrery::profile {

/// A step of a thread, as far as both recordings know it.
struct AlignedEvent {
  std::uint32_t name = 0;
  std::uint32_t parent = 0;    ///< name of the step around it
  std::uint32_t shape = 0;     ///< of its inputs, hashed; 0 = unknown
  std::int32_t sequence = -1;  ///< -1 = none
  std::uint32_t event = 0;     ///< the caller's

  /// Whether both can be one step.
  [[nodiscard]] bool fits(const AlignedEvent& other) const {
    return name == other.name && (sequence == other.sequence || sequence < 0 || other.sequence < 0);
  }
};

/// Places in two sequences that are one step, ascending in both.
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Aligns two sequences of steps, of which either may have steps the other lacks, at the ends or
/// between. Steps that are rare and equally many in both are laid against each other first; what is
/// between them is divided likewise, and solved exactly where it is small. What repeats without end
/// is shifted as a whole until most of it is equal. `known` are pairs that stand already (kept
/// where they ascend). The same input gives the same answer. O(n log n) but for a factor that does
/// not grow with n.
[[nodiscard]] Pairs align(std::span<const AlignedEvent> left, std::span<const AlignedEvent> right,
                          const Pairs& known = {});

/// The longest part of `pairs` (ascending by first) that ascends by second as well.
[[nodiscard]] Pairs longest_ascending(const Pairs& pairs);

}  // namespace orrery::profile
